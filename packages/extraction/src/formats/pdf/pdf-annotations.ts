import type { PdfTextItem } from './pdf.types';

/** An annotation as pdf.js gives it (ISO 32000-1 §12.5); members by the kind of annotation. */
interface RawAnnotation {
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly annotationFlags?: number;
  readonly hidden?: boolean;
  readonly contentsObj?: { readonly str?: string };
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly password?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly exportValue?: unknown;
  readonly buttonValue?: unknown;
  readonly options?: readonly { readonly exportValue?: unknown; readonly displayValue?: unknown }[];
}

export interface AnnotatedPage {
  readonly items: readonly PdfTextItem[];
  /** True with remarks that a viewer shows beside the page. */
  readonly hasComments: boolean;
}

const INVISIBLE = 1 << 1;
const NO_VIEW = 1 << 5;
/** Kinds whose words are no remark: fields, links, files, and the windows of other annotations. */
const NO_COMMENTS: ReadonlySet<string | undefined> = new Set(['Widget', 'FreeText', 'Link', 'Popup', 'FileAttachment']);
const CHECKED = '☒';
const FONT = 'annotation';
/** Font size in points for a page without text. */
const SIZE = 10;
/** Relative to the font size: width of most letters, and distance of lines. */
const LETTER = 0.5;
const LEADING = 1.2;

const isShown = ({ annotationFlags = 0, hidden }: RawAnnotation): boolean =>
  hidden !== true && (annotationFlags & (INVISIBLE | NO_VIEW)) === 0;

function choiceText({ fieldValue, options = [] }: RawAnnotation): string {
  const chosen = Array.isArray(fieldValue) ? (fieldValue as unknown[]) : [fieldValue];
  const shown = chosen.map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value);
  return shown.filter((value) => typeof value === 'string').join(', ');
}

/** Value of a field, as the page shows it; empty for buttons, signatures and passwords. */
function fieldText(field: RawAnnotation): string {
  const { fieldType, fieldValue, password, checkBox, radioButton, exportValue, buttonValue } = field;
  if (fieldType === 'Ch') return choiceText(field);
  if (fieldType === 'Tx') return typeof fieldValue === 'string' && password !== true ? fieldValue : '';
  const on = checkBox === true ? exportValue : radioButton === true ? buttonValue : undefined;
  return typeof on === 'string' && on !== 'Off' && on === fieldValue ? CHECKED : '';
}

const textOf = (annotation: RawAnnotation): string => {
  if (!isShown(annotation)) return '';
  if (annotation.subtype === 'Widget') return fieldText(annotation).trim();
  return annotation.subtype === 'FreeText' ? (annotation.contentsObj?.str ?? '').trim() : '';
};

const xOf = ({ transform }: PdfTextItem): number => transform[4] ?? 0;
const yOf = ({ transform }: PdfTextItem): number => transform[5] ?? 0;
const sizeOf = ({ transform }: PdfTextItem): number => Math.hypot(transform[2] ?? 0, transform[3] ?? 0);

interface Position {
  /** Index among the items of the page. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/**
 * Position at which the text of a rectangle reads well: behind words left of it, before words right of it, else below
 * words above it.
 */
function positionOf(
  items: readonly PdfTextItem[],
  width: number,
  [left = 0, bottom = 0, , top = 0]: readonly number[],
): Position {
  const isWord = (item: PdfTextItem): boolean => item.str.trim() !== '';
  const isBeside = (item: PdfTextItem): boolean =>
    isWord(item) && yOf(item) >= bottom - 0.2 * sizeOf(item) && yOf(item) <= top;
  const label = items.findLastIndex((item) => isBeside(item) && xOf(item) <= left);
  const before = items[label];
  if (before !== undefined) {
    const size = sizeOf(before);
    return { at: label + 1, x: xOf(before) + before.width + 0.5 * size, y: yOf(before), size };
  }
  const next = items.findIndex(isBeside);
  const after = items[next];
  if (after !== undefined) {
    const size = sizeOf(after);
    return { at: next, x: xOf(after) - (width + 1) * LETTER * size, y: yOf(after), size };
  }
  const above = items.findLastIndex((item) => isWord(item) && yOf(item) > top);
  const size = sizeOf(items[above] ?? itemOf('', 0, 0, SIZE));
  return { at: above + 1, x: left, y: top - size, size };
}

const itemOf = (str: string, x: number, y: number, size: number): PdfTextItem => ({
  str,
  transform: [size, 0, 0, size, x, y],
  width: LETTER * size * str.length,
  fontName: FONT,
});

/** The texts of a page with the values of its form and with what was typed onto it. */
export function withAnnotations(drawn: readonly PdfTextItem[], annotations: readonly unknown[]): AnnotatedPage {
  const items = [...drawn];
  const known = annotations as readonly RawAnnotation[];
  for (const annotation of known) {
    const lines = textOf(annotation)
      .split(/\r\n?|\n/)
      .filter((line) => line.trim() !== '');
    if (lines.length === 0) continue;
    const { at, x, y, size } = positionOf(items, lines[0]?.length ?? 0, annotation.rect ?? []);
    items.splice(at, 0, ...lines.map((line, index) => itemOf(line.trim(), x, y - index * LEADING * size, size)));
  }
  const hasComments = known.some(
    (each) => !NO_COMMENTS.has(each.subtype) && isShown(each) && (each.contentsObj?.str ?? '').trim() !== '',
  );
  return { items, hasComments };
}
