/**
 * Names in braces that are slots of a template; anything else in braces is literal text.
 * A slot is `{user_input}`, `{<type>}`, `{<n>_<type>}`, `{removed_<n>_<type>}` for every `<type>` in `types`, and
 * `{<name>}` for every name in `names` (the placeholders that a document's own tools carry, whatever they are).
 */
export interface SlotGrammar {
  /** Placeholder types without number, e.g. `context`. */
  readonly types: readonly string[];
  /** Exact names, e.g. `1_context`. A name that holds a brace is never a slot. */
  readonly names: readonly string[];
}

/** One occurrence of a slot. Offsets count UTF-16 code units of the source; `start` is at `{`, `end` behind `}`. */
export interface Slot {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export type Segment =
  { readonly kind: 'literal'; readonly text: string } | { readonly kind: 'slot'; readonly slot: Slot };

export interface CompiledTemplate {
  readonly source: string;
  /** The source cut into literals and slots, in order; empty literals are left out. */
  readonly segments: readonly Segment[];
  /** Every occurrence, in order; the same name may occur more than once. */
  readonly slots: readonly Slot[];
  /**
   * Fills every slot in one pass. Content is data: it is copied byte for byte between two newlines on each side and
   * never scanned; empty content renders nothing.
   */
  render(content: (name: string) => string): string;
  /** Fills the slots in `known`, whatever their content; the others stay as written. */
  renderPartial(known: ReadonlyMap<string, string>): string;
}
