import { AppError } from '../errors';
import { USER_INPUT, parsePlaceholder } from './placeholder';

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

/** UTF-16 units of a filled template, beyond any model's context: one slot repeated multiplies a short question. */
export const MAX_RENDERED = 4_000_000;

/** @throws {AppError} `payload_too_large` */
export function assertRenderable(length: number): void {
  if (length <= MAX_RENDERED) return;
  throw new AppError('payload_too_large', `The filled template is longer than ${MAX_RENDERED} characters`);
}

/**
 * Braces around text without braces. Each failed attempt ends at the next brace, where the next attempt starts:
 * the scan is linear whatever the text.
 */
const BRACED = /\{([^{}]*)\}/g;

/**
 * Cuts a template into literals and slots, once; rendering then never looks at content. Rendering throws an `AppError`
 * (`payload_too_large`) beyond `MAX_RENDERED`, before the text is built.
 */
export function compileTemplate(source: string, grammar: SlotGrammar): CompiledTemplate {
  const slots = findSlots(source, slotPredicate(grammar));
  const segments = cut(source, slots);
  return {
    source,
    segments,
    slots,
    render: (content) => join(segments, ({ name }, parts) => frame(content(name), parts)),
    renderPartial: (known) =>
      join(segments, ({ name, start, end }, parts) => {
        const content = known.get(name);
        if (content === undefined) parts.push(source.slice(start, end));
        else frame(content, parts);
      }),
  };
}

/** New name of a slot. Several names are written side by side; null removes the slot. */
export type SlotRenames = ReadonlyMap<string, string | readonly string[] | null>;

/**
 * Renames slots simultaneously, so that swapped names do not collapse into one. Names that are not in the map, and
 * every other brace, stay as written.
 */
export function renameSlots(source: string, renames: SlotRenames): string {
  const slots = findSlots(source, (name) => renames.has(name));
  return join(cut(source, slots), ({ name }, parts) => {
    const renamed = renames.get(name) ?? [];
    for (const one of typeof renamed === 'string' ? [renamed] : renamed) parts.push('{', one, '}');
  });
}

function slotPredicate({ types, names }: SlotGrammar): (name: string) => boolean {
  const knownTypes = new Set(types);
  const knownNames = new Set([USER_INPUT, ...names]);
  return (name) => knownNames.has(name) || parsePlaceholder(name, (type) => knownTypes.has(type)) !== null;
}

function findSlots(source: string, isSlot: (name: string) => boolean): Slot[] {
  const slots: Slot[] = [];
  for (const match of source.matchAll(BRACED)) {
    const name = match[1] ?? '';
    if (isSlot(name)) slots.push({ name, start: match.index, end: match.index + match[0].length });
  }
  return slots;
}

function cut(source: string, slots: readonly Slot[]): Segment[] {
  const segments: Segment[] = [];
  let position = 0;
  const literalUpTo = (end: number): void => {
    if (end > position) segments.push({ kind: 'literal', text: source.slice(position, end) });
  };
  for (const slot of slots) {
    literalUpTo(slot.start);
    segments.push({ kind: 'slot', slot });
    position = slot.end;
  }
  literalUpTo(source.length);
  return segments;
}

function frame(content: string, parts: string[]): void {
  if (content !== '') parts.push('\n\n', content, '\n\n');
}

/** One array and one join: each content is copied once, whatever its length. */
function join(segments: readonly Segment[], fill: (slot: Slot, parts: string[]) => void): string {
  const parts: string[] = [];
  for (const segment of segments) {
    if (segment.kind === 'literal') parts.push(segment.text);
    else fill(segment.slot, parts);
  }
  let length = 0;
  for (const part of parts) length += part.length;
  assertRenderable(length);
  return parts.join('');
}
