import { Injectable } from '@nestjs/common';
import {
  applyInput,
  changedFields,
  type Definition,
  definitionAnswer,
  type DefinitionInput,
  definitionOf,
  type Diagnostic,
  EMPTY_DEFINITION,
  namedValues,
  storedDefinition,
} from '../definition';
import type { Caller, JsonObject } from '../../kernel';
import { validationPipe } from '../../infrastructure/http';
import { CreateAssistantDto } from '../checks/definition.dto';
import { UpdateAssistantDto } from '../editing/assistant.dto';
import { AssistantEditor, ownerOf } from '../editing/assistant-editor';
import { AssistantLookup, type Seen } from '../access/assistant-lookup';
import { CollectionBindings } from '../editing/collection-bindings';
import { DefinitionGate } from '../checks/definition-gate';
import { AssistantRepository } from '../storage/assistant.repository';
import { freeName, unnumbered } from './free-name';
import { exportDocument, type ExportedAssistant, readImport, type ReadImport } from './export-document';
import type { BoundDto, DroppedDto, ImportPlanDto } from './import.dto';

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
    private readonly gate: DefinitionGate,
    private readonly bindings: CollectionBindings,
    private readonly assistants: AssistantRepository,
  ) {}

  async export(caller: Caller, id: number): Promise<ExportedAssistant> {
    const { row } = await this.lookup.configurable(caller, id);
    return exportDocument(definitionOf(row));
  }

  /** Plans an import. `into` null makes a new assistant. */
  async plan(caller: Caller, body: JsonObject, into: number | null): Promise<ImportPlanDto> {
    const target = into === null ? null : await this.lookup.configurable(caller, into);
    const before = target === null ? EMPTY_DEFINITION : definitionOf(target.row);
    const owner = target === null ? caller : ownerOf(target.row);
    const { fields, dropped } = await this.readFor(caller, body, into);
    const given = this.gate.withTemplate(applyInput(before, fields));
    const after = await this.bindings.bind(owner.organizationId, given, before, [owner, caller]);
    const { diagnostics } = await this.gate.check(after, owner, into, { by: caller, before });
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
    const { diagnostics } = await this.gate.check(seen.row, ownerOf(seen.row), seen.row.id);
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
