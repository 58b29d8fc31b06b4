import type { Metadata, PipelineTool, ToolInfo } from '$lib/app/catalogues/assistant';
import { type Filler, type SlotState, type TemplateDocument, slotStates } from '$lib/features/template/document';
import { entryName } from '$lib/features/tools/entry-name';
import { knownNames } from '$lib/features/tools/names.svelte';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { same } from '$lib/kit/ui/differences';
import { History } from '$lib/kit/ui/history.svelte';
import {
  type SlotGrammar,
  type TemplateStyle,
  automaticStyle,
  automaticTemplate,
  compileTemplate,
  numberedPlaceholder,
} from '@bellwether/kernel/templates';
import {
  type Change,
  type ToolEntry,
  fillsSlot,
  initialConfig,
  numberOf,
  pipelineTool,
  placeholderTypes,
  slotTypeOf,
  toStored,
} from './pipeline-entry';
import { type PipelineState, labelledSlots, planMove, planRemove } from './pipeline-plan';
import { readPipeline } from './pipeline-read';

/** The number that the next tool gets: the highest + 1. */
export const nextNumber = (tools: readonly ToolEntry[]): number =>
  Math.max(tools.length, ...tools.map(({ placeholder }) => numberOf(placeholder) ?? 0)) + 1;

/**
 * New tools for the slots that no tool fills, in the order of their numbers, as far as the next numbers fit. Of several
 * tools that fill one kind of slot the first of the catalogue is taken.
 */
export function missingTools(
  { tools, template }: PipelineState,
  catalogue: readonly ToolInfo[],
  firstKey: number,
): readonly ToolEntry[] {
  const known = tools.flatMap(({ placeholder }) => placeholder ?? []);
  const empty = compileTemplate(template, { types: placeholderTypes(catalogue), names: known })
    .slots.map(({ name }) => name)
    .filter((name, at, all) => numberOf(name) !== null && !known.includes(name) && all.indexOf(name) === at)
    .sort((one, other) => (numberOf(one) ?? 0) - (numberOf(other) ?? 0));
  const added: ToolEntry[] = [];
  for (const placeholder of empty) {
    const number = nextNumber([...tools, ...added]);
    const info = catalogue.find(
      ({ kind, placeholder: type }) =>
        kind === 'pipeline' && type !== null && numberedPlaceholder(number, type) === placeholder,
    );
    if (info === undefined) continue;
    const config = initialConfig(info);
    added.push({ key: firstKey + added.length, plugin: info.name, placeholder, enabled: true, config, extra: {} });
  }
  return added;
}

export type { Change, Rename, ToolEntry } from './pipeline-entry';
export { functionsOf } from './pipeline-read';

/** The tools of a multi-tool assistant and its template: they change together, in one history. */
export class Pipeline implements TemplateDocument {
  private readonly history: History<PipelineState>;
  /** Parts of the history, each for itself: a key in the template is no news to what shows the tools. */
  private nowTools = $state.raw<readonly ToolEntry[]>([]);
  private nowTemplate = $state.raw('');
  private nextKey: number;

  private constructor(
    state: PipelineState,
    readonly catalogue: readonly ToolInfo[],
  ) {
    this.history = new History(state);
    this.nowTools = state.tools;
    this.nowTemplate = state.template;
    this.nextKey = Math.max(0, ...state.tools.map(({ key }) => key)) + 1;
  }

  /** Reads documents of version 2 and 3; functions among their tools are left out (`functionsOf`). */
  static of(metadata: Metadata, template: string, catalogue: readonly ToolInfo[]): Pipeline {
    return new Pipeline(readPipeline(metadata, template, catalogue), catalogue);
  }

  get tools(): readonly ToolEntry[] {
    return this.nowTools;
  }
  get template(): string {
    return this.nowTemplate;
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

  readonly grammar: SlotGrammar = $derived.by(() => ({
    types: placeholderTypes(this.catalogue),
    names: this.tools.flatMap(({ placeholder }) => (placeholder === null ? [] : [placeholder])),
  }));

  readonly slots: readonly SlotState[] = $derived.by(() =>
    slotStates(
      this.template,
      this.grammar,
      this.tools.flatMap((tool) => (tool.placeholder === null ? [] : [this.fillerOf(tool, tool.placeholder)])),
    ),
  );

  /** Language of the labels in an automatic template; null of a handwritten one. */
  private readonly style: TemplateStyle | null = $derived(
    automaticStyle(this.template, labelledSlots(this.tools), i18n.locale),
  );
  /** The automatic template. */
  readonly automatic: string = $derived(automaticTemplate(labelledSlots(this.tools), this.style ?? i18n.locale));
  /** The template is automatic: it follows the tools. */
  readonly isAutomatic: boolean = $derived(this.style !== null);

  find(key: number): ToolEntry | undefined {
    return this.tools.find((tool) => tool.key === key);
  }

  infoOf({ plugin }: Pick<ToolEntry, 'plugin'>): ToolInfo | undefined {
    return pipelineTool(plugin, this.catalogue);
  }

  /** The tool's label, else the name of what it reads, else of its kind. */
  titleOf(tool: Pick<ToolEntry, 'plugin' | 'config' | 'extra'>): string {
    return entryName(tool, knownNames, this.infoOf(tool));
  }

  /** The placeholder that the next tool of a plugin gets: the highest number + 1; null when it fills nothing. */
  nextPlaceholder(plugin: string): string | null {
    const type = slotTypeOf({ plugin, placeholder: plugin }, this.catalogue);
    return type === null ? null : numberedPlaceholder(nextNumber(this.tools), type);
  }

  /** A new tool at the end, switched on, with the defaults of its settings. */
  add(plugin: string): ToolEntry {
    const entry: ToolEntry = {
      key: this.nextKey++,
      plugin,
      placeholder: this.nextPlaceholder(plugin),
      enabled: true,
      config: initialConfig(pipelineTool(plugin, this.catalogue)),
      extra: {},
    };
    this.step(
      this.followed({ tools: [...this.tools, entry], template: this.template }),
      t('template.step.add', { tool: this.titleOf(entry) }),
    );
    return entry;
  }

  /** A template of somebody else, with the tools that its slots need. One step; how many tools came. */
  insert(template: string, step: string): number {
    const added = missingTools({ tools: this.tools, template }, this.catalogue, this.nextKey);
    this.nextKey += added.length;
    if (added.length === 0) this.edit(template, step);
    else this.step({ tools: [...this.tools, ...added], template }, step);
    return added.length;
  }

  /** `toIndex` counts from 0 in the list without the tool. */
  planMove(key: number, toIndex: number): Change {
    const plan = planMove(this, key, toIndex, this.catalogue);
    return { ...plan, ...this.followed(plan), description: this.describe('template.step.move', key) };
  }

  /** Plan of a removal. Slots of the tool become for `mark` → `{removed_2_context}`, for `delete` → nothing. */
  planRemove(key: number, orphans: 'mark' | 'delete'): Change {
    const plan = planRemove(this, key, orphans, this.catalogue);
    return { ...plan, ...this.followed(plan), description: this.describe('template.step.remove', key) };
  }

  /** A planned change as one step; none when it changes nothing. */
  apply({ tools, template, description }: Change): void {
    const same = tools.length === this.tools.length && tools.every((tool, index) => tool === this.tools[index]);
    if (!same || template !== this.template) this.step({ tools, template }, description);
  }

  toggle(key: number): void {
    const enabled = this.find(key)?.enabled === true;
    this.replace(
      key,
      (tool) => ({ ...tool, enabled: !enabled }),
      enabled ? 'template.step.disable' : 'template.step.enable',
    );
  }

  enable(key: number): void {
    if (this.find(key)?.enabled === false) this.toggle(key);
  }

  configure(key: number, { config, extra }: Partial<Pick<ToolEntry, 'config' | 'extra'>>): void {
    this.replace(
      key,
      (tool) => ({ ...tool, config: config ?? tool.config, extra: extra ?? tool.extra }),
      'template.step.configure',
      `configure ${key}`,
    );
  }

  edit(template: string, step?: string): void {
    if (template !== this.template) this.step({ template }, step ?? null, step === undefined ? 'typing' : null);
  }

  undo(): void {
    this.history.undo();
    this.show();
  }

  redo(): void {
    this.history.redo();
    this.show();
  }

  /** Tools as they are stored under `tools`. */
  toTools(): PipelineTool[] {
    return this.tools.map(toStored);
  }

  private fillerOf(tool: ToolEntry, name: string): Filler {
    const fills = fillsSlot(tool);
    const later = tool.enabled && !fills;
    return { name, fills, key: tool.key, title: this.titleOf(tool), ...(later ? { later } : {}) };
  }

  private describe(key: 'template.step.move' | 'template.step.remove', tool: number): string {
    const entry = this.find(tool);
    return t(key, { tool: entry === undefined ? '' : this.titleOf(entry) });
  }

  private replace(
    key: number,
    change: (tool: ToolEntry) => ToolEntry,
    text: 'template.step.disable' | 'template.step.enable' | 'template.step.configure',
    group: string | null = null,
  ): void {
    const tool = this.find(key);
    if (tool === undefined) return;
    const changed = change(tool);
    if (same(changed, tool)) return;
    const tools = this.tools.map((other) => (other === tool ? changed : other));
    this.step(this.followed({ tools, template: this.template }), t(text, { tool: this.titleOf(tool) }), group);
  }

  private followed({ tools, template }: PipelineState): PipelineState {
    return {
      tools,
      template: this.style === null ? template : automaticTemplate(labelledSlots(tools), this.style),
    };
  }

  private step(change: Partial<PipelineState>, text: string | null, group: string | null = null): void {
    this.history.push({ tools: this.tools, template: this.template, ...change }, text, group);
    this.show();
  }

  private show(): void {
    const { tools, template } = this.history.state;
    this.nowTools = tools;
    this.nowTemplate = template;
  }
}
