import { compileTemplate, type SlotGrammar, USER_INPUT } from '@bellwether/kernel/templates';

/** `used`: filled and in the template. `unused`: filled, not in the template. `undefined`: in the template, filled by nobody. */
export type SlotStateName = 'used' | 'unused' | 'undefined';

export interface SlotState {
  readonly name: string;
  readonly state: SlotStateName;
  /** Key of the tool that carries this placeholder, also when it is switched off. */
  readonly key?: number;
  /** Name of the tool that fills it, for people. */
  readonly title?: string;
  /** Its tool is on and fills nothing: it looks at the finished answer. */
  readonly later?: true;
  /** Offered, and not missed in the template. */
  readonly optional?: true;
}

/** A name that something may put into the template. */
export interface Filler {
  readonly name: string;
  /** Whether it reaches the template. */
  readonly fills: boolean;
  readonly key?: number;
  readonly title?: string;
  readonly later?: true;
  /** An unfilled slot that is no mistake: `{context}` without retrieval. */
  readonly mayBeEmpty?: true;
}

/** A template that is being edited; every change is one step of one history. */
export interface TemplateDocument {
  readonly template: string;
  /** Fillers in their order, `{user_input}` last, then what nobody fills in the template's order. */
  readonly slots: readonly SlotState[];
  readonly grammar: SlotGrammar;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Step that undo takes back and redo brings back, for people; null when there is nothing or only typing. */
  readonly undoText: string | null;
  readonly redoText: string | null;
  /** A new text. Typing within half a second joins one step; `step` names a change that is one of its own. */
  edit(template: string, step?: string): void;
  /** A text of somebody else as one step, with what fills it; how many tools came with it. */
  insert?(template: string, step: string): number;
  undo(): void;
  redo(): void;
  /** The template until somebody writes one: it follows what fills it. */
  readonly automatic: string;
  /** Switches the tool of a slot on; absent where that makes no sense. */
  enable?(key: number): void;
}

export function slotStates(template: string, grammar: SlotGrammar, fillers: readonly Filler[]): readonly SlotState[] {
  const present = new Set(compileTemplate(template, grammar).slots.map(({ name }) => name));
  const byName = fillersByName(fillers);
  const filled = [...byName.values()].filter(({ fills }) => fills);
  const orphans = [...present].filter((name) => byName.get(name)?.fills !== true);
  return [
    ...filled.map((filler) => slot(filler, present.has(filler.name) ? 'used' : 'unused')),
    ...orphans.map((name) => {
      const filler = byName.get(name) ?? { name, fills: false };
      return slot(filler, filler.mayBeEmpty === true ? 'used' : 'undefined');
    }),
  ];
}

/** The question is nobody's to fill, and of two tools that claim one name the first has it. */
function fillersByName(fillers: readonly Filler[]): ReadonlyMap<string, Filler> {
  const byName = new Map<string, Filler>();
  for (const filler of fillers)
    if (filler.name !== USER_INPUT && !byName.has(filler.name)) byName.set(filler.name, filler);
  return byName.set(USER_INPUT, { name: USER_INPUT, fills: true });
}

const slot = ({ name, key, title, later }: Filler, state: SlotStateName): SlotState => ({
  name,
  state,
  ...(key === undefined ? {} : { key }),
  ...(title === undefined ? {} : { title }),
  ...(later === undefined ? {} : { later }),
});
