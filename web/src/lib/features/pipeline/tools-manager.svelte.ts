import type { ToolInfo } from '$lib/app/catalogues/assistant';
import { t } from '$lib/kit/i18n/i18n.svelte';
import { announcer } from '$lib/kit/ui/announcer.svelte';
import { toasts } from '$lib/kit/ui/toasts.svelte';
import type { Change, Pipeline, Rename, ToolEntry } from './pipeline.svelte';

/** Questions before the pipeline changes. */
export type Question =
  | {
      readonly kind: 'move';
      readonly name: string;
      readonly from: number;
      readonly to: number;
      readonly change: Change;
    }
  | {
      readonly kind: 'remove';
      readonly name: string;
      readonly entry: ToolEntry;
      readonly mark: Change;
      readonly drop: Change;
    };

const NEVER_ASK = 'bellwether.moves-unasked';
/** Renames that a screen reader is told one by one. */
const TOLD = 4;

const braced = (name: string): string => `{${name}}`;

/** One sentence for each placeholder that has another name now; `first` is told first. */
export function renamesText(renames: readonly Rename[], first: string | null = null): string {
  const kept = renames.filter(({ to }) => to !== null);
  const ordered = [...kept.filter(({ from }) => from === first), ...kept.filter(({ from }) => from !== first)];
  const told = ordered
    .slice(0, TOLD)
    .map(({ from, to }) => t('pipeline.renamed', { from: braced(from), to: braced(to ?? '') }));
  const rest = ordered.length - told.length;
  return [...told, ...(rest > 0 ? [t('pipeline.renamed_more', { n: rest })] : [])].join(' ');
}

/** Actions of the reader on the tools of a pipeline: questions before, announcements and a way back after. */
export class ToolsManagerState {
  /** Open question; `answer` settles it. */
  question = $state.raw<Question | null>(null);
  private settle: (answer: Change | null) => void = () => undefined;

  constructor(
    private readonly pipeline: () => Pipeline,
    private readonly catalogue: () => readonly ToolInfo[],
  ) {}

  infoOf(plugin: string): ToolInfo | undefined {
    return this.catalogue().find(({ name, kind }) => kind === 'pipeline' && name === plugin);
  }

  nameOf(entry: ToolEntry): string {
    return this.pipeline().titleOf(entry);
  }

  /** Whether the menu may still offer a tool. */
  canAdd(tool: ToolInfo): boolean {
    return tool.allow_multiple || !this.pipeline().tools.some(({ plugin }) => plugin === tool.name);
  }

  add(plugin: string): ToolEntry {
    const entry = this.pipeline().add(plugin);
    const name = this.nameOf(entry);
    announcer.say(
      entry.placeholder === null
        ? t('pipeline.added', { name })
        : t('pipeline.added_as', { name, placeholder: braced(entry.placeholder) }),
    );
    return entry;
  }

  /** Resolves to whether the tool was moved. */
  async move(key: number, to: number): Promise<boolean> {
    const pipeline = this.pipeline();
    const from = pipeline.tools.findIndex((tool) => tool.key === key);
    const entry = pipeline.tools[from];
    if (entry === undefined || from === to || to < 0 || to >= pipeline.tools.length) return false;
    const change = pipeline.planMove(key, to);
    const name = this.nameOf(entry);
    // An automatic template is rewritten without asking: no handwritten text is lost.
    const changesTemplate = change.template !== pipeline.template && !pipeline.isAutomatic;
    const agreed =
      !changesTemplate || moves.unasked ? change : await this.ask({ kind: 'move', name, from, to, change });
    if (agreed === null) {
      announcer.say(t('pipeline.reorder_cancelled', { name, position: from + 1, total: pipeline.tools.length }));
      return false;
    }
    pipeline.apply(agreed);
    const place = t('pipeline.moved', { name, position: to + 1, total: pipeline.tools.length });
    this.done(`${place} ${renamesText(agreed.renames, entry.placeholder)}`.trim(), place);
    return true;
  }

  /** Resolves to whether the tool was removed. Asks when the template or another tool speaks of its placeholder. */
  async remove(key: number): Promise<boolean> {
    const pipeline = this.pipeline();
    const entry = pipeline.tools.find((tool) => tool.key === key);
    if (entry === undefined) return false;
    const drop = pipeline.planRemove(key, 'delete');
    const mark = pipeline.planRemove(key, 'mark');
    const name = this.nameOf(entry);
    const isMentioned = mark.template !== pipeline.template && !pipeline.isAutomatic;
    const agreed = isMentioned ? await this.ask({ kind: 'remove', name, entry, mark, drop }) : drop;
    if (agreed === null) return false;
    pipeline.apply(agreed);
    this.done(t('pipeline.removed', { name }));
    return true;
  }

  undo(): void {
    if (!this.pipeline().canUndo) return;
    this.pipeline().undo();
    announcer.say(t('pipeline.undone'));
  }

  redo(): void {
    if (!this.pipeline().canRedo) return;
    this.pipeline().redo();
    announcer.say(t('pipeline.redone'));
  }

  /** The reader's answer: the change to carry out, or null. */
  answer(change: Change | null): void {
    this.question = null;
    this.settle(change);
  }

  private ask(question: Question): Promise<Change | null> {
    this.settle(null);
    this.question = question;
    return new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Tells what happened and offers the way back for as long as nothing else has changed. */
  private done(spoken: string, shown = spoken): void {
    const pipeline = this.pipeline();
    const { tools } = pipeline;
    announcer.say(spoken);
    toasts.info(shown, {
      label: t('pipeline.undo'),
      run: () => {
        if (pipeline.tools === tools) this.undo();
        else toasts.info(t('pipeline.undo_stale'));
      },
    });
  }
}

/** Whether moves that rename placeholders are made without a question, until the tab is closed. */
class Moves {
  unasked = $state(sessionStorage.getItem(NEVER_ASK) !== null);

  neverAsk(): void {
    this.unasked = true;
    sessionStorage.setItem(NEVER_ASK, '1');
  }

  ask(): void {
    this.unasked = false;
    sessionStorage.removeItem(NEVER_ASK);
  }
}

export const moves = new Moves();
