import { compileTemplate, type SlotGrammar } from '@bellwether/kernel/templates';
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { SlotState, SlotStateName } from './document';

/** Names of the states of slots, and the ids of elements that say them to those who cannot see colours. */
export interface SlotTexts {
  readonly title: (slot: SlotState) => string;
  readonly describedBy: Readonly<Record<SlotStateName, string>>;
}

interface Slots {
  readonly grammar: SlotGrammar;
  readonly slots: readonly SlotState[];
  readonly texts: SlotTexts;
}

export const setSlots = StateEffect.define<Slots>();

interface Marked {
  readonly grammar: SlotGrammar;
  readonly marks: ReadonlyMap<string, Decoration>;
  readonly set: DecorationSet;
}

const NOTHING: Marked = { grammar: { types: [], names: [] }, marks: new Map(), set: Decoration.none };
/** Between a key and the document's answer a name may be new. */
const unknown = Decoration.mark({ class: 'slot' });

const field = StateField.define<Marked>({
  create: () => NOTHING,
  update: (marked, { docChanged, effects, state }) => {
    const given = effects.find((effect) => effect.is(setSlots))?.value as Slots | undefined;
    if (given !== undefined) {
      const marks = new Map(given.slots.map((slot) => [slot.name, markOf(slot, given.texts)]));
      return { grammar: given.grammar, marks, set: mark(state, given.grammar, marks) };
    }
    return docChanged ? { ...marked, set: mark(state, marked.grammar, marked.marks) } : marked;
  },
  provide: (marks) => EditorView.decorations.from(marks, ({ set }) => set),
});

function mark(state: EditorState, grammar: SlotGrammar, marks: Marked['marks']): DecorationSet {
  const { slots } = compileTemplate(state.doc.toString(), grammar);
  return Decoration.set(slots.map(({ name, start, end }) => (marks.get(name) ?? unknown).range(start, end)));
}

const markOf = (slot: SlotState, { title, describedBy }: SlotTexts): Decoration =>
  Decoration.mark({
    class: `slot slot-${slot.state}`,
    attributes: {
      'data-slot': slot.name,
      'data-state': slot.state,
      title: title(slot),
      'aria-describedby': describedBy[slot.state],
    },
  });

/** Slots as chips in the text itself. */
export const slotMarks: Extension = field;
