package io.sbbf.spark.pages

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

/**
 * Makes objects of interfaces that are hidden in their package, or that have more methods in later
 * versions of a library.
 */
private[pages] object Delegate {

  /** Returns an object that calls another one, except for some methods, by name and arguments. */
  def of[T](kind: Class[T], other: AnyRef)(
      methods: PartialFunction[(String, Seq[AnyRef]), AnyRef]): T = {
    val handler = new InvocationHandler {
      override def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef = {
        val values = Option(arguments).fold(Seq.empty[AnyRef])(_.toSeq)
        methods.applyOrElse(
          (method.getName, values),
          (_: (String, Seq[AnyRef])) => call(method, other, values: _*))
      }
    }
    kind.cast(Proxy.newProxyInstance(kind.getClassLoader, Array[Class[_]](kind), handler))
  }

  /** Calls a method; throws what it throws, so that a fatal error is seen as one. */
  def call(method: Method, on: AnyRef, arguments: AnyRef*): AnyRef =
    try method.invoke(on, arguments: _*)
    catch { case e: InvocationTargetException => throw e.getCause }
}
