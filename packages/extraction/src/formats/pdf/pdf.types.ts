/** A run of text from pdf.js. `transform` is the text matrix; positions and widths are points. */
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
  /** `y` of its lower edge, which is not 0 on pages that were cropped. */
  readonly bottom: number;
  readonly items: readonly PdfTextItem[];
  /** Names of its monospaced fonts. */
  readonly monospaced: ReadonlySet<string>;
}

/** A heading of the outline ("bookmarks"), outermost depth 1. */
export interface OutlineEntry {
  readonly title: string;
  readonly depth: number;
}
