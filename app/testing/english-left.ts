const ATTRIBUTES = ['aria-label', 'aria-valuetext', 'alt', 'label', 'placeholder', 'title'];

/** Texts of elements that are typed or run, not read. */
const CODE = 'code, kbd, pre, script, style, textarea';

/** English words of a page in another language that are not data of the test: in texts and in what is read out or shown on hover. */
export function englishLeft(root: Element, data: readonly string[]): string[] {
  const known = [...data].sort((one, other) => other.length - one.length);
  return textsOf(root).filter((text) =>
    /[A-Za-z]{3,}/.test(known.reduce((rest, each) => rest.replaceAll(each, ''), text)),
  );
}

function textsOf(root: Element): string[] {
  const elements = [root, ...root.querySelectorAll('*')];
  const attributes = elements.flatMap((element) =>
    ATTRIBUTES.flatMap((name) => element.getAttribute(name) ?? []),
  );
  const texts = elements
    .filter((element) => !element.closest(CODE))
    .flatMap((element) => [...element.childNodes])
    .flatMap((node) => (node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '') : []));
  return [...attributes, ...texts].map((text) => text.trim()).filter(Boolean);
}
