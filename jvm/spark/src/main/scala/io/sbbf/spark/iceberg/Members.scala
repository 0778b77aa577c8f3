package io.sbbf.spark.iceberg

import java.lang.reflect.{Field, InvocationTargetException, Method, Modifier}
import java.util.ArrayList
import java.util.concurrent.ConcurrentHashMap

import scala.annotation.tailrec
import scala.util.Try

import sun.reflect.ReflectionFactory

/**
 * Calls members of classes by their names. Iceberg's JAR may be loaded by another class loader than
 * this extension, so the extension cannot link to it.
 */
private[iceberg] object Members {

  /** Calls a method without parameters. Throws what it throws, or NoSuchMethodException. */
  def call[T](on: AnyRef, name: String): T = call(on, name, Nil)

  /** @param arguments the class of each parameter, and its argument */
  def call[T](on: AnyRef, name: String, arguments: Seq[(Class[_], Any)]): T =
    try
      method(on.getClass, name, arguments.map(_._1))
        .invoke(on, arguments.map(_._2.asInstanceOf[AnyRef]): _*)
        .asInstanceOf[T]
    catch { case e: InvocationTargetException => throw e.getCause }

  def has(on: AnyRef, name: String, parameters: Class[_]*): Boolean =
    Try(method(on.getClass, name, parameters)).isSuccess

  /** Returns the value of a field, None if the class has no such field. */
  def field[T](of: AnyRef, name: String): Option[T] =
    fields(of.getClass).find(_.getName == name).map(_.get(of).asInstanceOf[T])

  /**
   * Returns a copy of an object with the same values in its fields, without a call of its
   * constructor. The copy has its own lists. Needs the module `jdk.unsupported`, and sets final
   * fields by reflection, of which Java 26 warns (JEP 500).
   */
  def copy[T <: AnyRef](of: T): T = {
    val constructor = ReflectionFactory.getReflectionFactory
      .newConstructorForSerialization(of.getClass, classOf[Object].getConstructor())
    val copy = constructor.newInstance().asInstanceOf[T]
    fields(of.getClass).foreach { f =>
      f.set(
        copy,
        f.get(of) match {
          case list: ArrayList[_] => new ArrayList(list)
          case value => value
        })
    }
    copy
  }

  private def fields(of: Class[_]): Seq[Field] = {
    val found =
      ancestors(of).flatMap(_.getDeclaredFields).filterNot(f => Modifier.isStatic(f.getModifiers))
    found.foreach(_.setAccessible(true))
    found
  }

  private def ancestors(of: Class[_]): Seq[Class[_]] =
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(_ != null).toSeq

  /** Methods by class, which the classes themselves keep in memory. */
  private val known = new ClassValue[ConcurrentHashMap[(String, Seq[Class[_]]), Method]] {
    override def computeValue(of: Class[_]): ConcurrentHashMap[(String, Seq[Class[_]]), Method] =
      new ConcurrentHashMap
  }

  private def method(of: Class[_], name: String, parameters: Seq[Class[_]]): Method =
    known.get(of).computeIfAbsent((name, parameters), _ => find(of, name, parameters))

  private def find(of: Class[_], name: String, parameters: Seq[Class[_]]): Method = {
    @tailrec def declared(c: Class[_]): Option[Method] =
      if (c == null) None
      else
        Try(c.getDeclaredMethod(name, parameters: _*)).toOption match {
          case None => declared(c.getSuperclass)
          case found => found
        }
    val found = Try(of.getMethod(name, parameters: _*)).toOption
      .orElse(declared(of))
      .getOrElse(throw new NoSuchMethodException(s"${of.getName}.$name"))
    found.setAccessible(true)
    found
  }
}
