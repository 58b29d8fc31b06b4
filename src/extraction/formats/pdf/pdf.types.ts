/** A run of text as pdf.js gives it. `transform` is the text matrix; positions and widths are in points. */
export interface PdfTextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly fontName: string;
}

export interface PdfPage {
  /** From 1. */
  readonly number: number;
  readonly height: number;
  readonly items: readonly PdfTextItem[];
  /** Names of its fonts whose letters are all of one width. */
  readonly monospaced: ReadonlySet<string>;
}

/** A heading of the outline ("bookmarks"), outermost depth 1. */
export interface OutlineEntry {
  readonly title: string;
  readonly depth: number;
}
