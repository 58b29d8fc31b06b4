import { locatorUnitOf } from '@bellwether/extraction';
import { type Caller, locatorText, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { KnowledgeBasesService } from '../../src/knowledge-bases';
import { ProcessorCatalogue } from '../../src/processors';
import { FunctionCatalogue, type MaterialSearch, ToolCatalogue } from '../../src/tools';
import {
  AssistantMaterialRepository,
  type NamedKnowledgeBases,
  type UnfoundDocument,
  type UnfoundPart,
} from './assistant-material.repository';
import type { MaterialPlaceDto, UnusedDocumentDto, UnusedMaterialDto } from './insights.dto';

/** The plugins that search the material of a course, as their definitions say. */
@Injectable()
export class MaterialSearches {
  private readonly byName: ReadonlyMap<string, MaterialSearch>;

  constructor(tools: ToolCatalogue, functions: FunctionCatalogue, processors: ProcessorCatalogue) {
    const definitions = [...tools.definitions(), ...functions.definitions(), ...processors.ragDefinitions()];
    this.byName = new Map(
      definitions.flatMap(({ name, aliases, material_search: search }) =>
        search === undefined ? [] : [name, ...aliases].map((each) => [each, search] as const),
      ),
    );
  }

  /** Null for a plugin that searches no material, and for one that is unknown or gone. */
  of(plugin: string): MaterialSearch | null {
    return this.byName.get(plugin) ?? null;
  }
}

const MOST_DOCUMENTS = 50;
const MOST_PARTS = 20;

/** Passages of an assistant's knowledge bases that no answer got. */
@Injectable()
export class UnusedMaterialService {
  constructor(
    private readonly repository: AssistantMaterialRepository,
    private readonly knowledgeBases: KnowledgeBasesService,
  ) {}

  material({ organizationId }: Caller, assistantId: number): Promise<NamedKnowledgeBases> {
    return this.repository.of(organizationId, assistantId);
  }

  /** The knowledge bases of these that the caller may read. */
  async readable(caller: Caller, ids: readonly string[]): Promise<readonly MaterialPlaceDto[]> {
    const found = await Promise.all(ids.map((id) => this.find(caller, id)));
    return found.filter((each) => each !== null);
  }

  /** Knowledge bases without such passages are left out. */
  async of(
    { organizationId }: Caller,
    knowledgeBases: readonly MaterialPlaceDto[],
    runIds: readonly string[],
  ): Promise<UnusedMaterialDto[]> {
    if (knowledgeBases.length === 0) return [];
    const found = await this.repository.unfound(organizationId, {
      knowledgeBaseIds: knowledgeBases.map(({ id }) => id),
      runIds,
      documents: MOST_DOCUMENTS,
      parts: MOST_PARTS,
    });
    return knowledgeBases
      .map((each) => ({
        knowledge_base: each,
        documents: found.filter(({ knowledgeBaseId }) => knowledgeBaseId === each.id).map(unusedDocument),
      }))
      .filter(({ documents }) => documents.length > 0);
  }

  private find(caller: Caller, id: string): Promise<MaterialPlaceDto | null> {
    return orNull('not_found', async () => {
      const { name, access } = await this.knowledgeBases.get(caller, id);
      return { id, name, editable: access === 'owner' };
    });
  }
}

const unusedDocument = (document: UnfoundDocument): UnusedDocumentDto => ({
  id: document.id,
  title: document.title,
  parts: document.parts,
  found: document.found,
  never: document.never.map((part) => ({ section: part.section, page_text: pageText(document, part) })),
});

/** Page in the language of the document; null without pages. */
function pageText({ filename, language, pageCount }: UnfoundDocument, part: UnfoundPart): string | null {
  const { page, label, endLabel } = part;
  if (page === null) return null;
  const to = part.pageEnd ?? page;
  const unit = locatorUnitOf(filename);
  const printed = label === null || endLabel === null || to === page ? label : `${label}–${endLabel}`;
  return locatorText({ unit, from: page, to, of: pageCount, label: printed }, language);
}
