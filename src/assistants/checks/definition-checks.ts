import type { Caller, JsonObject, Principal, Problem } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { ConnectorsService } from '../../connectors';
import { QuestionRewriter } from '../../knowledge-bases';
import { ProcessorCatalogue } from '../../processors';
import { FunctionCatalogue, type OfferContext, ToolCatalogue } from '../../tools';
import {
  type AssistantDocument,
  type Definition,
  type Diagnostic,
  type MetadataRules,
  type NamedValue,
  type PlaceholderState,
  boundDefinition,
  checkClassic,
  checkFunctions,
  checkNumber,
  checkShape,
  checkStrategy,
  checkTemplate,
  checkTools,
  configReferences,
  error,
  errorsOf,
  namedValues,
  normaliseDocument,
  placedFunctions,
  reasonOf,
  rewritingPaths,
  storedDefinition,
  unboundKeys,
  warning,
} from '../definition';
import { PluginRules } from '../running/plugin-rules';
import { AssistantTargets, EditorReferenceCheck, ReferenceGaps } from './reference-gaps';

/** The checks of a save that read only the document: shape, strategy, tools and their schemas. */
@Injectable()
export class StaticChecks {
  /** `vocabulary`: names and slots of the installed tools. */
  constructor(@Inject(PluginRules) readonly vocabulary: MetadataRules) {}

  /** Problems that refuse a save by any owner. */
  problems(metadata: JsonObject): readonly Problem[] {
    const crowd = checkNumber(metadata);
    if (crowd.length > 0) return errorsOf(crowd);
    const { vocabulary } = this;
    return errorsOf([
      ...checkShape(metadata),
      ...checkStrategy(metadata, vocabulary),
      ...checkTools(metadata, vocabulary),
    ]);
  }
}

const NO_FAST_MODEL =
  'Your organization has no fast model: the question is searched as it stands. An administrator can name one at the provider';

/** Warns about models that the organization lacks and processors that are not installed. */
@Injectable()
export class ModelChecks {
  constructor(
    private readonly connectors: ConnectorsService,
    private readonly rewriter: QuestionRewriter,
    private readonly processors: ProcessorCatalogue,
    private readonly tools: ToolCatalogue,
  ) {}

  async check(document: AssistantDocument, { organizationId }: Principal): Promise<Diagnostic[]> {
    const doubts = await this.connectors.doubts(organizationId, document);
    return [
      ...checkClassic(document, this.processors),
      ...doubts.map(({ code, member, message }) => warning(code, `metadata.${member}`, message)),
      ...(await this.rewriting(document, organizationId)),
    ];
  }

  private async rewriting(document: AssistantDocument, organizationId: string): Promise<Diagnostic[]> {
    const paths = rewritingPaths(document, {
      schemaOf: (tool): JsonObject => this.tools.find(tool)?.definition.config_schema ?? {},
      findRag: (name) => this.processors.findRag(name),
      findPrompt: (name) => this.processors.findPrompt(name),
    });
    if (paths.length === 0 || (await this.rewriter.isAvailable(organizationId))) return [];
    return paths.map((path) => warning('rewrite.no_fast_model', path, NO_FAST_MODEL));
  }
}

/** Time limit for all functions to give their names. */
const PATIENCE_MS = 2_000;

/** Checks the functions of a document: their types, configs and names. */
@Injectable()
export class FunctionChecks {
  constructor(private readonly functions: FunctionCatalogue) {}

  async check(document: AssistantDocument, owner: Principal): Promise<Diagnostic[]> {
    return [...checkFunctions(document.raw, this.functions), ...(await this.names(document, owner))];
  }

  /**
   * Entries with equal names for the model. Names of different kinds differ by their prefix, so only entries of one
   * kind are compared.
   */
  private async names(document: AssistantDocument, owner: Principal): Promise<Diagnostic[]> {
    const placed = placedFunctions(document.raw).map((entry) => ({
      ...entry,
      plugin: this.functions.find(entry.type),
    }));
    const kinds = placed.map(({ plugin }) => plugin);
    const several = placed.filter(({ plugin }, at) => kinds.indexOf(plugin) !== at || kinds.lastIndexOf(plugin) !== at);
    const found: Diagnostic[] = [];
    const first = new Map<string, string>();
    for (const { base, plugin, type, config } of several) {
      if (plugin === undefined || !plugin.definition.allow_multiple) continue;
      const prepared = this.functions.prepare(type, config);
      if (prepared.problems.length > 0) continue;
      const offered = await plugin.offer(prepared.config, nobodyCalling(owner)).catch(() => []);
      for (const { name } of offered) {
        const earlier = first.get(name);
        if (earlier === undefined) first.set(name, base);
        else
          found.push(
            error('function.duplicate', base, `its function ${name} is declared by ${earlier} already`, {
              reason: 'function.name_taken',
              name,
            }),
          );
      }
    }
    return found;
  }
}

/** Functions are only asked for their names, so every assistant is offered. */
function nobodyCalling(owner: Principal): OfferContext {
  const caller: Caller = {
    ...owner,
    kind: 'system',
    credentialId: null,
    organizationSlug: '',
    role: 'member',
    systemAdmin: false,
    scopes: [],
    assistantIds: null,
  };
  const assistants: OfferContext['assistants'] = {
    offer: (id) => Promise.resolve({ name: String(id), description: null }),
    run: () => Promise.reject(new Error('Nothing is called while names are asked for')),
  };
  return { signal: AbortSignal.timeout(PATIENCE_MS), owner, caller, assistantId: 0, assistants };
}

/** A save of a definition, by whom and over what. */
export interface Edit {
  readonly by: Principal;
  /** null for a new assistant. */
  readonly before: Definition | null;
  /** False when the request gives no references: what is not bound stays so. */
  readonly binds?: boolean;
}

export interface CheckSubject {
  /** Content is checked with these rights, whoever edits. */
  readonly owner: Principal;
  /** null while the assistant does not exist yet. */
  readonly assistantId: number | null;
  readonly definition: Omit<Definition, 'type' | 'name' | 'description'>;
  /** Name of the template in the request: `prompt_template` or `template`. */
  readonly templatePath: string;
  /** Absent for a definition as it is stored. */
  readonly edit?: Edit | undefined;
}

export interface CheckResult {
  readonly document: AssistantDocument;
  readonly diagnostics: readonly Diagnostic[];
  readonly placeholders: readonly PlaceholderState[];
  /** Keys of references that nobody who may read the thing has saved yet. */
  readonly unbound: ReadonlySet<string>;
}

/** A diagnostic about a reference; `enabled` says whether its tool runs. */
type Judged = Diagnostic & { readonly enabled: boolean };

/** All checks of a definition: its shape, its tools, its template and its references. */
@Injectable()
export class DefinitionChecks {
  constructor(
    private readonly rules: PluginRules,
    private readonly functions: FunctionChecks,
    private readonly models: ModelChecks,
    private readonly gaps: ReferenceGaps,
    private readonly targets: AssistantTargets,
    private readonly reach: EditorReferenceCheck,
  ) {}

  async check({ owner, assistantId, definition: stored, templatePath, edit }: CheckSubject): Promise<CheckResult> {
    const definition = boundDefinition(stored);
    const document = normaliseDocument(definition, this.rules);
    const crowd = checkNumber(definition.metadata);
    if (crowd.length > 0) return { document, placeholders: [], diagnostics: crowd, unbound: new Set() };
    const judged = [
      ...(await this.references(document, owner)),
      ...(await this.targets.check(document, owner, assistantId)),
    ];
    const values = namedValues(storedDefinition(stored));
    const unbound = await this.unbound(document, { stored, owner, edit, judged, values });
    const template = checkTemplate(definition.promptTemplate, templatePath, document, this.rules);
    return {
      document,
      unbound,
      placeholders: template.placeholders,
      diagnostics: [
        ...checkShape(definition.metadata),
        ...checkStrategy(definition.metadata, this.rules),
        ...checkTools(definition.metadata, this.rules),
        ...(await this.functions.check(document, owner)),
        ...told(judged, document, values, unbound),
        ...(await this.targets.callers(document, owner, assistantId)),
        ...(await this.models.check(document, owner)),
        ...template.diagnostics,
      ],
    };
  }

  /** Sequential: a check of many tools must not take every database connection. */
  private async references(document: AssistantDocument, owner: Principal): Promise<Judged[]> {
    const found: Judged[] = [];
    for (const reference of configReferences(document)) {
      const { tool, config, checked, enabled, at } = reference;
      if (!checked)
        for (const problem of this.rules.configProblems(tool, config))
          found.push({
            ...error('tool.config_invalid', at(problem.path), problem.message, reasonOf(problem)),
            enabled,
          });
      for (const { path, message, code, values } of await this.gaps.of(reference, owner)) {
        const say = code === 'tool.inaccessible' ? error : warning;
        found.push({ ...say(code, at(path), message, values), enabled });
      }
    }
    return found;
  }

  /**
   * References that stay unbound: those that the owner or the editor may not read, unless an earlier save bound them.
   * Disabled tools count, so that switching one on binds nothing.
   */
  private async unbound(
    document: AssistantDocument,
    { stored, owner, edit, judged, values }: Saving,
  ): Promise<ReadonlySet<string>> {
    const marked = unboundKeys(stored.collectionIds);
    if (edit === undefined || edit.binds === false) return marked;
    const isOwner = edit.by.userId === owner.userId;
    const unreadable = [
      ...judged.filter(({ code }) => code === 'tool.inaccessible'),
      ...(isOwner ? [] : await this.reach.unreadable(document, edit.by)),
    ];
    const known = this.bound(edit.before);
    const [keys, kinds] = [keysOf(values), this.kinds(document)];
    return new Set(
      unreadable.flatMap(({ path }) => {
        const key = keyAt(keys, path);
        return key === undefined || known.has(thing(kinds.get(path), key)) ? [] : [key];
      }),
    );
  }

  /** References that tools of an earlier definition read, without those marked as unbound. A value that no tool read was never judged. */
  private bound(before: Definition | null): ReadonlySet<string> {
    if (before === null) return new Set();
    const marked = unboundKeys(before.collectionIds);
    const keys = keysOf(namedValues(storedDefinition(before)));
    const kinds = this.kinds(normaliseDocument(boundDefinition(before), this.rules));
    return new Set(
      [...kinds].flatMap(([path, kind]) => {
        const key = keyAt(keys, path);
        return key === undefined || marked.has(key) ? [] : [thing(kind, key)];
      }),
    );
  }

  /** Kinds of the things that the tools of a document name, by place. */
  private kinds(document: AssistantDocument): ReadonlyMap<string, unknown> {
    const values = configReferences(document).flatMap((reference) => this.gaps.values(reference));
    return new Map(values.map(({ path, kind }) => [path, kind]));
  }
}

/** The same name of another kind is another thing. */
const thing = (kind: unknown, key: string): string => `${String(kind)} ${key}`;

const keysOf = (values: readonly NamedValue[]): ReadonlyMap<string, string> =>
  new Map(values.map(({ path, key }) => [path, key]));

const keyAt = (keys: ReadonlyMap<string, string>, path: string): string | undefined =>
  keys.get(path) ?? keys.get(path.replace(/kb_id$/, 'collection_id'));

interface Saving extends Pick<CheckSubject, 'owner' | 'edit'> {
  readonly stored: CheckSubject['definition'];
  readonly judged: readonly Judged[];
  readonly values: readonly NamedValue[];
}

/** References as the author wrote them, those of disabled tools left out. */
function told(
  judged: readonly Judged[],
  { pipeline }: AssistantDocument,
  values: readonly NamedValue[],
  unbound: ReadonlySet<string>,
): Diagnostic[] {
  const given = new Map(values.map(({ path, value }) => [path, value]));
  const enabled = judged.filter((each) => each.enabled);
  const paths = new Set(enabled.map(({ path }) => path));
  const off = pipeline.filter((tool) => !tool.enabled).map(({ index }) => `metadata.tools[${index}].`);
  const marked = values.filter(
    ({ key, path }) => unbound.has(key) && !paths.has(path) && !off.some((base) => path.startsWith(base)),
  );
  return [
    ...enabled.map(({ enabled: _, ...each }) =>
      each.code === 'tool.inaccessible' && given.has(each.path)
        ? { ...each, message: notAccessible(given.get(each.path) ?? '') }
        : each,
    ),
    ...marked.map(({ path, value }) => error('tool.inaccessible', path, notAccessible(value))),
  ];
}

/** The same words whatever the reason, with the reference as it was given. */
const notAccessible = (value: string | number): string => `"${value}" does not exist, was deleted, or is not shared`;
