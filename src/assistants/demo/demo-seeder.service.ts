import { Injectable, Logger } from '@nestjs/common';
import { AssistantsService } from '../assistants.service';
import { FilesService } from '../../files';
import { AppError, type Caller } from '../../kernel';
import { DocumentsService, KnowledgeBasesService, type CreateKnowledgeBaseDto } from '../../knowledge-bases';
import { MemberChecklists } from '../../organizations';
import { RubricsService } from '../../rubrics';
import { BRIEF_FILE, demoAssistants, ESSAY_FEEDBACK, PYTHON, STATISTICS } from './demo-assistants';
import { contentFolder, contentRubric } from './demo-content';
import { withinOrganization } from '../../infrastructure/database';

export interface DemoOwner {
  readonly organizationId: string;
  readonly administratorId: string;
}

const callerOf = ({ organizationId, administratorId }: DemoOwner): Caller => ({
  kind: 'system',
  credentialId: null,
  organizationId,
  organizationSlug: 'default',
  userId: administratorId,
  role: 'owner',
  systemAdmin: true,
  scopes: ['chat', 'read', 'write', 'admin'],
  assistantIds: null,
});

/** Seeds an organization without assistants. */
@Injectable()
export class DemoSeeder {
  private readonly logger = new Logger('Demo');

  constructor(
    private readonly assistants: AssistantsService,
    private readonly knowledgeBases: KnowledgeBasesService,
    private readonly documents: DocumentsService,
    private readonly rubrics: RubricsService,
    private readonly files: FilesService,
    private readonly checklists: MemberChecklists,
  ) {}

  /** Id of the demo's multi-tool assistant; null when the organization has only its own assistants. */
  seed(owner: DemoOwner): Promise<number | null> {
    return withinOrganization(owner.organizationId, () => this.fill(owner));
  }

  private async fill(owner: DemoOwner): Promise<number | null> {
    const caller = callerOf(owner);
    const existing = await this.assistants.someRunnable(caller, (page) => Promise.resolve(page), {
      after: 0,
      count: 1_000,
    });
    if (existing.length > 0) return existing.find(({ name }) => name === ESSAY_FEEDBACK)?.id ?? null;
    await this.knowledgeBase(caller, STATISTICS, 'statistics');
    await this.knowledgeBase(caller, PYTHON, 'python');
    await this.files.upload(
      caller,
      contentFolder('files').filter(({ name }) => name === BRIEF_FILE),
    );
    const rubric = await this.rubrics.create(caller, contentRubric());
    const ids: number[] = [];
    for (const definition of demoAssistants(rubric.id)) ids.push(await this.assistants.create(caller, definition));
    await this.checklists.answer(caller, { since: new Date().toISOString() });
    this.logger.log({ msg: 'demo seeded', assistants: ids });
    return ids[0] ?? null;
  }

  private async knowledgeBase(caller: Caller, body: CreateKnowledgeBaseDto, folder: string): Promise<void> {
    try {
      const { id } = await this.knowledgeBases.create(caller, { ...body, language: 'en' });
      await this.documents.upload(caller, id, contentFolder(folder));
    } catch (error) {
      // The slug is taken: an interrupted start or another replica made it.
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    }
  }
}
