import { AppError, type Caller, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../../../src/assistants';
import { withinOrganization } from '../../../src/infrastructure/database';

const NOBODY = '00000000-0000-0000-0000-000000000000';

const MOST_OFFERED = 1_000;

/** Reads assistants for the service itself, with the rights of an administrator. */
const readerOf = (organizationId: string): Caller => ({
  kind: 'system',
  credentialId: null,
  organizationId,
  organizationSlug: '',
  userId: NOBODY,
  role: 'admin',
  systemAdmin: false,
  scopes: ['chat', 'read', 'admin'],
  assistantIds: null,
});

/** How an activity's assistants stand. */
export interface AssistantStand {
  readonly id: number;
  readonly name: string;
  /** `missing`: deleted, of another organization, or switched off. */
  readonly state: 'published' | 'unpublished' | 'missing';
}

/** The assistants of an activity: only published ones of its organization answer. */
@Injectable()
export class ActivityAssistants {
  constructor(private readonly assistants: AssistantsService) {}

  async standOf(organizationId: string, ids: readonly number[]): Promise<readonly AssistantStand[]> {
    return withinOrganization(organizationId, () => Promise.all(ids.map((id) => this.stand(organizationId, id))));
  }

  /**
   * Ids of the assistants that a link names, by their numbers here or at the installation that they came from. Null where
   * a number means several.
   */
  idsHere(organizationId: string, numbers: readonly number[]): Promise<number[] | null> {
    const reader = readerOf(organizationId);
    const work = (): Promise<number[]> => Promise.all(numbers.map((number) => this.assistants.idHere(reader, number)));
    return orNull('validation_failed', async () => [...new Set(await withinOrganization(organizationId, work))]);
  }

  /** Published assistants of the organization that the person may use. */
  offeredTo(person: Caller): Promise<RunnableAssistant[]> {
    const { organizationId } = person;
    return this.assistants.someRunnable(
      person,
      (page) => Promise.resolve(page.filter((each) => each.published && each.organizationId === organizationId)),
      { after: 0, count: MOST_OFFERED },
    );
  }

  private async stand(organizationId: string, id: number): Promise<AssistantStand> {
    try {
      const found = await this.assistants.runnable(readerOf(organizationId), id);
      const isOwn = found.organizationId === organizationId;
      if (!isOwn) return { id, name: '', state: 'missing' };
      return { id, name: found.name, state: found.published ? 'published' : 'unpublished' };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return { id, name: '', state: 'missing' };
      throw error;
    }
  }
}
