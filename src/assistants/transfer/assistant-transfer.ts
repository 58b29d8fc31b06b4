import { Injectable } from '@nestjs/common';
import {
  applyInput,
  changedFields,
  type Definition,
  definitionAnswer,
  type DefinitionInput,
  definitionOf,
  EMPTY_DEFINITION,
} from '../../definition';
import type { Caller, JsonObject } from '../../kernel';
import { validationPipe } from '../../platform/http';
import { CreateAssistantDto } from '../checks/definition.dto';
import { UpdateAssistantDto } from '../editing/assistant.dto';
import { AssistantEditor, ownerOf } from '../editing/assistant-editor';
import { AssistantLookup, type Seen } from '../access/assistant-lookup';
import { CollectionBindings } from '../editing/collection-bindings';
import { DefinitionGate } from '../checks/definition-gate';
import type { VersionReason } from '../storage/assistant-version.entity';
import { AssistantRepository } from '../storage/assistant.repository';
import { freeName } from './free-name';
import { dropReferences } from './drop-references';
import { exportDocument, type ExportedAssistant, readImport, type ReadImport } from './export-document';
import type { DroppedDto, ImportPlanDto } from './import.dto';

export interface Imported {
  readonly seen: Seen;
  readonly dropped: readonly DroppedDto[];
}

/** Exports and imports definitions. References that the new owner may not use are dropped. */
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
    const readable = await this.readable(before, fields, owner, into, caller);
    const given = this.gate.withTemplate(applyInput(before, readable.input));
    const after = await this.bindings.bind(owner.organizationId, given, before);
    const { diagnostics } = await this.gate.check(after, owner, into, { by: caller, before });
    return {
      dry_run: true,
      action: target === null ? 'create' : 'update',
      diff: changedFields(before, this.editor.storedForm(after)),
      dropped: [...dropped, ...readable.dropped],
      diagnostics: [...diagnostics],
    };
  }

  /** @throws {AppError} as a POST of the same definition. References out of reach are dropped instead. */
  async import(caller: Caller, body: JsonObject, into: number | null): Promise<Imported> {
    const { fields, dropped } = await this.readFor(caller, body, into);
    if (into === null) {
      const made = await this.make(caller, fields, 'import');
      return { seen: made.seen, dropped: [...dropped, ...made.dropped] };
    }
    const { row } = await this.lookup.configurable(caller, into);
    const readable = await this.readable(definitionOf(row), fields, ownerOf(row), into, caller);
    const seen = await this.editor.update(caller, into, readable.input, null, 'import');
    return { seen, dropped: [...dropped, ...readable.dropped] };
  }

  /** A private copy for the caller, without references that the caller may not read. */
  async duplicate(caller: Caller, id: number, name: string | undefined): Promise<Imported> {
    const { row } = await this.lookup.configurable(caller, id);
    const fields: DefinitionInput = {
      name: name ?? `Copy of ${row.name}`.slice(0, 200).toWellFormed(),
      description: row.description,
      ...definitionAnswer(row),
      metadata: row.metadata,
      RAG_collections: row.ragCollections,
    };
    return this.make(caller, fields, 'duplicate');
  }

  /** A new assistant whose name the caller uses already gets a number: "Tutor (2)". */
  private async readFor(caller: Caller, body: JsonObject, into: number | null): Promise<ReadImport> {
    const read = await this.read(body, into);
    const { name } = read.fields;
    if (into !== null || name === undefined) return read;
    const base = name.trim();
    const taken = await this.assistants.within(caller.organizationId).namesLike(caller.userId, base);
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

  private async make(caller: Caller, fields: DefinitionInput, reason: VersionReason): Promise<Imported> {
    const { input, dropped } = await this.readable(EMPTY_DEFINITION, fields, caller, null, caller);
    return { seen: await this.editor.create(caller, input, reason), dropped };
  }

  private async readable(
    before: Definition,
    fields: DefinitionInput,
    owner: Pick<Caller, 'organizationId' | 'userId'>,
    id: number | null,
    by: Caller,
  ): Promise<{ input: DefinitionInput; dropped: readonly DroppedDto[] }> {
    const after = await this.bindings.bind(owner.organizationId, applyInput(before, fields), before);
    const { diagnostics } = await this.gate.check(after, owner, id, { by, before });
    return dropReferences(fields, diagnostics);
  }
}
