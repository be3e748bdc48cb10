/**
 * Lets xterm.js style itself under a policy that forbids inline styles.
 *
 * xterm.js makes style elements and sets their text, which the policy blocks. This hands it elements whose text goes into constructed
 * style sheets instead, which the policy allows because only scripts of the page can make them. Without WebGL, xterm.js also gives letters
 * a style attribute; the policy blocks the attribute, and allows the same text through the element's `style` object.
 */

function makeStandIn(original: () => HTMLElement): HTMLElement {
  const element = original();
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, "textContent", { set: (text: string) => sheet.replaceSync(text), get: () => "" });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    HTMLElement.prototype.remove.call(element);
  };
  return element;
}

function setAttributeByStyle(this: HTMLSpanElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

let isDone = false;

/** From now on, style elements that scripts make are backed by constructed style sheets, and style attributes of spans by their objects. */
export function replaceStyleElements(): void {
  if (isDone) return;
  isDone = true;
  const original = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name.toLowerCase() === "style" ? makeStandIn(() => original("span")) : original(name, options)) as typeof document.createElement;
  HTMLSpanElement.prototype.setAttribute = setAttributeByStyle;
}
