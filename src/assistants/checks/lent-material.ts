import { type Principal, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { configReferences, type ConfigReference, normaliseDocument, type StoredDefinition } from '../definition';
import { KnowledgeBasesService } from '../../knowledge-bases';
import { UserNames } from '../../organizations';
import { RubricsService } from '../../rubrics';
import { PluginRules } from '../running/plugin-rules';
import { ReferenceGaps } from './reference-gaps';
import { type AssistantMaterialDto, MATERIALS, type MaterialType } from './validation.dto';

interface Reference {
  readonly type: MaterialType;
  readonly value: string | number;
}

const isType = (name: unknown): name is MaterialType => (MATERIALS as readonly unknown[]).includes(name);

/** Names of the material that the owner of an assistant lends to it, for somebody else who edits it. */
@Injectable()
export class LentMaterial {
  constructor(
    private readonly rules: PluginRules,
    private readonly gaps: ReferenceGaps,
    private readonly knowledgeBases: KnowledgeBasesService,
    private readonly rubrics: RubricsService,
    private readonly people: UserNames,
  ) {}

  /**
   * `before`: the stored definition. Names of what an edit adds are told only within the editor's own reach, which
   * `EditorReferenceCheck` checks; so only stored references are named with the owner's. What the owner cannot read is left out.
   */
  async of(before: StoredDefinition, owner: Principal, editor: Principal): Promise<AssistantMaterialDto[]> {
    const name = (await this.people.of(owner.organizationId, [owner.userId])).get(owner.userId)?.name ?? null;
    const found: AssistantMaterialDto[] = [];
    for (const { type, value } of this.references(before)) {
      if (await this.isReadable(editor, type, value)) continue;
      const named = await this.nameFor(owner, type, value);
      if (named !== null) found.push({ type, reference: String(value), name: named, owner: name });
    }
    return found;
  }

  private references(before: StoredDefinition): readonly Reference[] {
    const all = configReferences(normaliseDocument(before, this.rules)).flatMap((reference) =>
      this.inConfig(reference),
    );
    return [...new Map(all.map((each) => [`${each.type} ${each.value}`, each])).values()];
  }

  private inConfig(reference: ConfigReference): readonly Reference[] {
    return this.gaps.values(reference).flatMap(({ kind, value }): Reference[] => {
      const isNamed = typeof value === 'number' || (typeof value === 'string' && value !== '');
      return isType(kind) && isNamed ? [{ type: kind, value }] : [];
    });
  }

  private nameFor(reader: Principal, type: MaterialType, value: string | number): Promise<string | null> {
    if (type === 'file') return Promise.resolve(String(value));
    return orNull('not_found', async () =>
      type === 'rubric'
        ? (await this.rubrics.forEvaluation(reader, value)).source.title
        : (await this.knowledgeBases.get(reader, String(value))).name,
    );
  }

  /** A file belongs to its owner alone: the same path of another person is another file. */
  private async isReadable(reader: Principal, type: MaterialType, value: string | number): Promise<boolean> {
    return type !== 'file' && (await this.nameFor(reader, type, value)) !== null;
  }
}
