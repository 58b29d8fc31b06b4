/** Subset of the DOM. The parser behind turndown has no types and may give undefined instead of null. */
export interface HtmlNode {
  readonly nodeName: string;
  readonly textContent: string;
  readonly className: string;
  readonly parentNode: HtmlNode | null | undefined;
  readonly childNodes: ArrayLike<HtmlNode>;
  getAttribute(name: string): string | null;
  querySelector(selector: string): HtmlNode | null | undefined;
}

export const childrenOf = (node: HtmlNode, ...names: readonly string[]): HtmlNode[] =>
  Array.from(node.childNodes).filter(({ nodeName }) => names.includes(nodeName));

/** Nearest ancestor with one of the names. */
export function ancestor(node: HtmlNode, ...names: readonly string[]): HtmlNode | null {
  for (let at = node.parentNode; at; at = at.parentNode) if (names.includes(at.nodeName)) return at;
  return null;
}

export const attribute = (node: HtmlNode, name: string): string => node.getAttribute(name)?.trim() ?? '';
