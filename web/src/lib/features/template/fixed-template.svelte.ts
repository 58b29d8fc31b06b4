import { History } from '$lib/kit/ui/history.svelte';
import { type Filler, type SlotState, slotStates, type TemplateDocument } from './document';

/** The template of a classic assistant: its slots come from the form's other choices. */
export class FixedTemplate implements TemplateDocument {
  private readonly history: History<string>;

  /** `fillers` is read again whenever something that it reads changes. */
  constructor(
    template: string,
    private readonly fillers: () => readonly Filler[],
  ) {
    this.history = new History(template);
  }

  get template(): string {
    return this.history.state;
  }

  readonly grammar = $derived.by(() => ({ types: [], names: this.fillers().map(({ name }) => name) }));
  readonly slots: readonly SlotState[] = $derived.by(() => slotStates(this.template, this.grammar, this.fillers()));

  get automatic(): string {
    const isContext = this.fillers().some(({ name, fills }) => name === 'context' && fills);
    return isContext ? '{context}\n\n{user_input}' : '{user_input}';
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
    if (template !== this.template) this.history.push(template, step ?? null, step === undefined ? 'typing' : null);
  }
  undo(): void {
    this.history.undo();
  }
  redo(): void {
    this.history.redo();
  }
}
