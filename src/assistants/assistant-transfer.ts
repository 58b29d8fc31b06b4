import { type Caller, type JsonObject, invalid, isJsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { validationPipe } from '../infrastructure/http';
import { AssistantLookup, type Seen } from './access/assistant-lookup';
import { SaveValidator } from './checks/save-validator';
import { CreateAssistantDto } from './checks/validation.dto';
import {
  type Definition,
  type DefinitionInput,
  type Diagnostic,
  EMPTY_DEFINITION,
  applyInput,
  changedFields,
  definitionAnswer,
  definitionOf,
  member,
  namedValues,
  storedDefinition,
} from './definition';
import { AssistantEditor, ownerOf } from './editing/assistant-editor';
import { UpdateAssistantDto } from './editing/assistant.dto';
import { CollectionBindings } from './editing/assistant-records';
import { AssistantRepository } from './storage/assistant.repository';
import {
  type BoundDto,
  type DroppedDto,
  EXPORT_FORMAT,
  type ExportedAssistantDto,
  FORMAT_VERSION,
  type ImportPlanDto,
} from './import.dto';

const exportDocument = (row: Definition): ExportedAssistantDto => ({
  format: EXPORT_FORMAT,
  format_version: FORMAT_VERSION,
  assistant: {
    name: row.name,
    description: row.description,
    ...definitionAnswer(row),
    RAG_collections: row.ragCollections,
  },
});

interface ReadImport {
  readonly fields: DefinitionInput;
  readonly dropped: readonly DroppedDto[];
}

/** @throws {AppError} `validation_failed` for an export in another format, which could mean something else. */
function assertReadable(body: JsonObject): void {
  const expected = { format: EXPORT_FORMAT, format_version: FORMAT_VERSION } as const;
  const problems = Object.entries(expected)
    .filter(([key, value]) => Object.hasOwn(body, key) && body[key] !== value)
    .map(([path, value]) => ({ path, message: `must be ${JSON.stringify(value)}`, code: 'import.format' }));
  if (problems.length > 0) throw invalid(problems, 'The file cannot be imported');
}

const FIELDS = ['name', 'description', 'system_prompt', 'prompt_template', 'RAG_collections', 'RAG_Top_k'] as const;
const METADATA_KEYS = ['metadata', 'api_callback'] as const;
const ENVELOPE = new Set(['format', 'format_version', 'exported_at', 'assistant']);

/**
 * Reads our export, a bare definition, or a row that LAMB exported (metadata under `api_callback`). Members that are
 * not part of a definition are dropped and listed. Types are validated later, as in a POST.
 */
export function readImport(body: JsonObject): ReadImport {
  assertReadable(body);
  const wrapped = member(body, 'assistant');
  const source = isJsonObject(wrapped) ? wrapped : body;
  const base = isJsonObject(wrapped) ? 'assistant.' : '';
  const fields: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const value = member(source, field);
    if (value !== undefined && value !== null) fields[field] = value;
  }
  const metadata = METADATA_KEYS.map((key) => member(source, key)).find(
    (value) => value !== undefined && value !== null,
  );
  if (metadata !== undefined) fields.metadata = metadata;
  const known = new Set<string>([...FIELDS, ...METADATA_KEYS]);
  const outside = isJsonObject(wrapped) ? Object.keys(body).filter((key) => !ENVELOPE.has(key)) : [];
  const inside = Object.keys(source).filter((key) => !known.has(key) && !(base === '' && ENVELOPE.has(key)));
  const why = { reason: 'is not part of a definition', code: 'import.unknown' } as const;
  return {
    fields,
    dropped: [...outside.map((path) => ({ path, ...why })), ...inside.map((key) => ({ path: base + key, ...why }))],
  };
}

const MAX_NAME = 200;

/** The name without a number that an earlier import gave it. */
const unnumbered = (name: string): string => name.replace(/ \(\d{1,4}\)$/, '');

/** `name`, or the first of "name (2)", "name (3)", … that is not taken; "name (2)" counts on. At most 200 UTF-16 units. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const plain = unnumbered(name);
  for (let number = 2; ; number += 1) {
    const suffix = ` (${number})`;
    const numbered = plain.slice(0, MAX_NAME - suffix.length).toWellFormed() + suffix;
    if (!taken.has(numbered)) return numbered;
  }
}

export interface Imported {
  readonly seen: Seen;
  readonly dropped: readonly DroppedDto[];
  readonly bound: readonly BoundDto[];
}

/** Exports and imports definitions. */
@Injectable()
export class AssistantTransfer {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly editor: AssistantEditor,
    private readonly validator: SaveValidator,
    private readonly bindings: CollectionBindings,
    private readonly assistants: AssistantRepository,
  ) {}

  async export(caller: Caller, id: number): Promise<ExportedAssistantDto> {
    const { row } = await this.lookup.configurable(caller, id);
    return exportDocument(definitionOf(row));
  }

  /** Plans an import. `into` null makes a new assistant. */
  async plan(caller: Caller, body: JsonObject, into: number | null): Promise<ImportPlanDto> {
    const target = into === null ? null : await this.lookup.configurable(caller, into);
    const before = target === null ? EMPTY_DEFINITION : definitionOf(target.row);
    const owner = target === null ? caller : ownerOf(target.row);
    const { fields, dropped } = await this.readFor(caller, body, into);
    const given = this.validator.withTemplate(applyInput(before, fields));
    const after = await this.bindings.bind(owner.organizationId, given, before, [owner, caller]);
    const { diagnostics } = await this.validator.check(after, owner, into, { by: caller, before });
    return {
      dry_run: true,
      action: target === null ? 'create' : 'update',
      diff: changedFields(before, this.editor.storedForm(after)),
      dropped: [...dropped, ...unusable(diagnostics)],
      bound: boundNames(after),
      diagnostics: [...diagnostics],
    };
  }

  /** @throws {AppError} as a POST of the same definition. References out of reach keep their names and are listed. */
  async import(caller: Caller, body: JsonObject, into: number | null): Promise<Imported> {
    const { fields, dropped } = await this.readFor(caller, body, into);
    const seen =
      into === null
        ? await this.editor.create(caller, fields, 'import')
        : await this.editor.update(caller, into, fields, null, 'import');
    return this.imported(seen, dropped);
  }

  /** A private copy for the caller. References that the caller may not read are not bound. */
  async duplicate(caller: Caller, id: number, name: string | undefined): Promise<Imported> {
    const { row } = await this.lookup.configurable(caller, id);
    const fields: DefinitionInput = {
      name: name ?? `Copy of ${row.name}`.slice(0, 200).toWellFormed(),
      description: row.description,
      ...definitionAnswer(row),
      metadata: row.metadata,
      RAG_collections: row.ragCollections,
    };
    return this.imported(await this.editor.create(caller, fields, 'duplicate'), []);
  }

  /** A new assistant whose name the caller uses already gets a number: "Tutor (2)". */
  private async readFor(caller: Caller, body: JsonObject, into: number | null): Promise<ReadImport> {
    const read = await this.read(body, into);
    const { name } = read.fields;
    if (into !== null || name === undefined) return read;
    const base = name.trim();
    const taken = await this.assistants.within(caller.organizationId).namesLike(caller.userId, unnumbered(base));
    return { ...read, fields: { ...read.fields, name: freeName(base, taken) } };
  }

  /** Types and lengths as in a POST or PATCH. */
  private async read(body: JsonObject, into: number | null): Promise<ReadImport> {
    const { fields, dropped } = readImport(body);
    const metatype = into === null ? CreateAssistantDto : UpdateAssistantDto;
    return {
      fields: (await validationPipe().transform(fields, { type: 'body', metatype })) as DefinitionInput,
      dropped,
    };
  }

  private async imported(seen: Seen, dropped: readonly DroppedDto[]): Promise<Imported> {
    const { diagnostics } = await this.validator.check(seen.row, ownerOf(seen.row), seen.row.id);
    return { seen, dropped: [...dropped, ...unusable(diagnostics)], bound: boundNames(seen.row) };
  }
}

/** References that the owner or the importing person may not read: their names stay, and nothing is read. */
const unusable = (diagnostics: readonly Diagnostic[]): DroppedDto[] =>
  diagnostics
    .filter(({ code }) => code === 'tool.inaccessible')
    .map(({ path }) => ({ path, reason: 'refers to something that you cannot use', code: 'import.reference' }));

/** Names of collections, and the knowledge bases here that they mean now. */
function boundNames({ collectionIds, ...definition }: Definition): BoundDto[] {
  const ids = collectionIds ?? {};
  return namedValues(storedDefinition(definition)).flatMap(({ path, value }) => {
    const id = Object.hasOwn(ids, value) ? ids[value] : null;
    return typeof id === 'string' ? [{ path, reference: String(value), knowledge_base_id: id }] : [];
  });
}
