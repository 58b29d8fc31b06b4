import type { SlotState, TemplateDocument } from '$lib/features/template/document';
import { History } from '$lib/kit/ui/history.svelte';
import { compileTemplate, numberedPlaceholder, type SlotGrammar, USER_INPUT } from '@bellwether/kernel/templates';
import type { TemplateType } from './template.types';

/** Kinds of slots that are offered for tools. */
const KINDS = ['context', 'rubric', 'file'] as const;
const GRAMMARS: Readonly<Record<TemplateType, SlotGrammar>> = {
  classic: { types: [], names: ['context'] },
  multi_tool: { types: KINDS, names: [] },
};

interface Holder {
  readonly type: TemplateType;
  template: string;
}

/** A template without an assistant: its slots are filled later, by tools that nobody has chosen yet. */
export class LooseTemplate implements TemplateDocument {
  private readonly history: History<string>;

  constructor(private readonly holder: Holder) {
    this.history = new History(holder.template);
  }

  get template(): string {
    return this.holder.template;
  }
  readonly grammar = $derived.by(() => GRAMMARS[this.holder.type]);
  readonly slots: readonly SlotState[] = $derived.by(() => slotsOf(this.template, this.holder.type));

  get automatic(): string {
    return `{${USER_INPUT}}`;
  }
  get canUndo(): boolean {
    return this.history.canUndo;
  }
  get canRedo(): boolean {
    return this.history.canRedo;
  }
  get undoText(): string | null {
    return this.history.undoText;
  }
  get redoText(): string | null {
    return this.history.redoText;
  }

  edit(template: string, step?: string): void {
    if (template === this.template) return;
    // Another version may have been loaded since.
    if (this.history.state !== this.template) this.history.push(this.template, null);
    this.history.push(template, step ?? null, step === undefined ? 'typing' : null);
    this.holder.template = template;
  }
  undo(): void {
    this.history.undo();
    this.holder.template = this.history.state;
  }
  redo(): void {
    this.history.redo();
    this.holder.template = this.history.state;
  }
}

/** The slots of the text, the question, then one more of each kind. Numbers count tools: no two slots share one. */
export function slotsOf(template: string, type: TemplateType): readonly SlotState[] {
  const names = compileTemplate(template, GRAMMARS[type]).slots.map(({ name }) => name);
  const present = names.filter((name, index) => names.indexOf(name) === index);
  const question: SlotState = { name: USER_INPUT, state: present.includes(USER_INPUT) ? 'used' : 'unused' };
  const used = present.filter((name) => name !== USER_INPUT).map((name): SlotState => ({ name, state: 'used' }));
  const offers = type === 'classic' ? ['context'] : numbered(present);
  return [
    ...used,
    question,
    ...offers
      .filter((name) => !present.includes(name))
      .map((name): SlotState => ({ name, state: 'unused', optional: true })),
  ];
}

/** Each kind with a number that is still free. */
function numbered(present: readonly string[]): readonly string[] {
  const taken = present.map((name) => Number.parseInt(name, 10));
  return KINDS.map((kind) => {
    let number = 1;
    while (taken.includes(number)) number += 1;
    taken.push(number);
    return numberedPlaceholder(number, kind);
  });
}
