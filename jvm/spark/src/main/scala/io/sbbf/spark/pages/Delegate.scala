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
          (_: (String, Seq[AnyRef])) =>
            try method.invoke(other, values: _*)
            catch { case e: InvocationTargetException => throw e.getCause })
      }
    }
    kind.cast(Proxy.newProxyInstance(kind.getClassLoader, Array[Class[_]](kind), handler))
  }
}
