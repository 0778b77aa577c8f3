package io.sbbf;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.scalatest.TagAnnotation;

/** Marks a suite that 'make test-all' runs and 'make test' does not. {@code TestFiles.FullRun} marks one test. */
@TagAnnotation
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface FullRun {}
