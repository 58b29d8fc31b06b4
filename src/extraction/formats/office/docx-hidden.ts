import { allNamed, childNamed, parseXml, scanXml, type XmlElement } from './office-xml';

/** Ids of styles whose text is hidden (ECMA-376-1 §17.3.2.41). The default style of paragraphs has the id ''. */
export type HiddenStyles = ReadonlySet<string>;

const isOn = (value: string | undefined): boolean => !['0', 'false', 'off'].includes(value ?? 'true');

/** Visibility that run properties state: true for hidden text; undefined when they leave it to styles. */
const hiddenIn = (properties: XmlElement | undefined): boolean | undefined => {
  const vanish = childNamed(properties, 'vanish');
  return vanish === undefined ? undefined : isOn(vanish.attributes['w:val']);
};

/** Visibility by the style, else by the nearest style that it is based on. */
function isHiddenStyle(style: XmlElement, byId: ReadonlyMap<string | undefined, XmlElement>): boolean {
  const seen = new Set<XmlElement>();
  let at: XmlElement | undefined = style;
  while (at !== undefined && !seen.has(at)) {
    const own = hiddenIn(childNamed(at, 'rPr'));
    if (own !== undefined) return own;
    seen.add(at);
    at = byId.get(childNamed(at, 'basedOn')?.attributes['w:val']);
  }
  return false;
}

/** @throws {ExtractionError} `document.malformed` */
export function hiddenStyles(stylesXml: string | undefined): HiddenStyles {
  const hidden = new Set<string>();
  if (!stylesXml?.includes('vanish')) return hidden;
  const styles = allNamed(parseXml(stylesXml), 'style');
  const byId = new Map(styles.map((style) => [style.attributes['w:styleId'], style]));
  for (const style of styles.filter((each) => isHiddenStyle(each, byId))) {
    const { 'w:styleId': id = '', 'w:type': type, 'w:default': isDefault = '0' } = style.attributes;
    hidden.add(id);
    if (type === 'paragraph' && isOn(isDefault)) hidden.add('');
  }
  return hidden;
}

interface OpenRun {
  readonly start: number;
  direct: boolean | undefined;
  style: string | undefined;
  hasText: boolean;
  /** Parts of fields belong to runs that are not hidden. */
  hasField: boolean;
}

/** Texts, and what stands in their place. */
const TEXTS: ReadonlySet<string> = new Set(['t', 'delText', 'sym', 'tab', 'footnoteReference', 'endnoteReference']);
const FIELDS: ReadonlySet<string> = new Set(['fldChar', 'instrText']);

/** Finds the runs and table rows of a part that Word hides. */
class HiddenScan {
  /** Hidden ranges, ordered by their ends. */
  readonly found: [start: number, end: number][] = [];
  private readonly path: string[] = [];
  /** Styles of the open paragraphs, which text boxes nest. */
  private readonly paragraphs: string[] = [];
  private readonly rows: { readonly start: number; isHidden: boolean }[] = [];
  private readonly runs: OpenRun[] = [];

  constructor(private readonly styles: HiddenStyles) {}

  open(name: string, { 'w:val': value }: Readonly<Record<string, string>>, start: number): void {
    const parent = this.path.at(-1) ?? '';
    this.path.push(name);
    if (name === 'p') this.paragraphs.push('');
    else if (name === 'tr') this.rows.push({ start, isHidden: false });
    else if (name === 'r')
      this.runs.push({ start, direct: undefined, style: undefined, hasText: false, hasField: false });
    else if (name === 'pStyle') this.paragraphs.splice(-1, 1, value ?? '');
    else if (TEXTS.has(name)) for (const run of this.runs) run.hasText = true;
    else this.property(parent, name, value);
  }

  close(name: string, end: number): void {
    this.path.pop();
    if (name === 'r') {
      const run = this.runs.pop();
      if (run !== undefined && this.hides(run)) this.found.push([run.start, end]);
    } else if (name === 'tr') {
      const row = this.rows.pop();
      if (row?.isHidden === true) this.found.push([row.start, end]);
    } else if (name === 'p') this.paragraphs.pop();
  }

  private property(parent: string, name: string, value: string | undefined): void {
    const [run, row] = [this.runs.at(-1), this.rows.at(-1)];
    if (parent === 'trPr' && name === 'hidden' && row !== undefined) row.isHidden = isOn(value);
    if (run === undefined) return;
    if (FIELDS.has(name)) run.hasField = true;
    if (parent === 'rPr' && name === 'vanish') run.direct = isOn(value);
    if (parent === 'rPr' && name === 'rStyle') run.style = value;
  }

  /** Styles of a run and of its paragraph toggle each other (ECMA-376-1 §17.7.3). */
  private hides({ direct, style, hasText, hasField }: OpenRun): boolean {
    const byStyle = (style !== undefined && this.styles.has(style)) !== this.styles.has(this.paragraphs.at(-1) ?? '');
    return hasText && !hasField && (direct ?? byStyle);
  }
}

/** A part of a Word document without what Word hides. @throws {ExtractionError} */
export function withoutHidden(part: string, styles: HiddenStyles): { readonly xml: string; readonly found: boolean } {
  const isConcerned = styles.size > 0 || part.includes('vanish') || part.includes(':hidden');
  if (!isConcerned) return { xml: part, found: false };
  const xml = part.replace(/^\ufeff/, '');
  const scan = new HiddenScan(styles);
  scanXml(xml, {
    open: (name, attributes, start) => scan.open(name, attributes, start),
    close: (name, end) => scan.close(name, end),
    text: () => undefined,
  });
  return { xml: withoutRanges(xml, scan.found), found: scan.found.length > 0 };
}

/** Ranges are in the order of their ends; a later one may contain earlier ones. */
function withoutRanges(text: string, ranges: readonly (readonly [from: number, to: number])[]): string {
  const kept: string[] = [];
  let end = text.length;
  for (const [from, to] of [...ranges].reverse()) {
    if (from >= end) continue;
    kept.push(text.slice(to, end));
    end = from;
  }
  return text.slice(0, end) + kept.reverse().join('');
}
