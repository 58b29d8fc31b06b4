import { AppError, type Caller } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { FilesService } from '../../files';
import { withinOrganization } from '../../infrastructure/database';
import type { UploadedFile } from '../../infrastructure/http';
import { type CreateKnowledgeBaseDto, DocumentsService, KnowledgeBasesService } from '../../knowledge-bases';
import { MemberChecklists } from '../../organizations';
import { RubricsService } from '../../rubrics';
import { AssistantsService } from '../assistants.service';
import { AssistantEditor } from '../editing/assistant-editor';
import type { DefinitionInput } from '../definition';

export const STATISTICS = {
  slug: 'statistics-primer',
  name: 'Statistics primer',
  description: 'Describing data, sampling, testing',
};
const PYTHON = {
  slug: 'python-for-data',
  name: 'Python for data',
  description: 'Containers, functions, tables',
};
export const BRIEF_FILE = 'essay-brief.txt';
const ESSAY_FEEDBACK = 'Essay feedback';

type Definition = DefinitionInput & { readonly name: string };

const tool = (plugin: string, placeholder: string, config: object): object => ({
  plugin,
  placeholder,
  enabled: true,
  config,
});
const search = (placeholder: string, slug: string): object =>
  tool('simple_rag', placeholder, { collections: [slug], top_k: 3, sources_in_prompt: 'numbered' });

/** The three assistants of the demo. `auto` answers with any model of the organization, or with the prompt. */
const demoAssistants = (rubricId: string): Definition[] => [
  {
    name: ESSAY_FEEDBACK,
    description: 'Comments on an essay about one number, with the course text, the rubric and the assignment at hand.',
    system_prompt: 'You are a kind and precise teaching assistant. Cite course passages as [n]. Never write the essay.',
    prompt_template: [
      'Course text on statistics:{1_context}',
      'Course text on Python:{2_context}',
      'Rubric:{3_rubric}',
      'Assignment:{4_file}',
      'What the student wrote or asks:{user_input}',
      'Comment on one strength and the two changes that would help most, with the criterion each belongs to.',
    ].join('\n\n'),
    metadata: {
      assistant_type: 'multi_tool',
      orchestrator: 'sequential',
      connector: 'auto',
      tools: [
        search('1_context', STATISTICS.slug),
        search('2_context', PYTHON.slug),
        tool('rubric_rag', '3_rubric', { rubric_id: rubricId, format: 'markdown' }),
        tool('single_file_rag', '4_file', { file_path: BRIEF_FILE }),
      ],
    },
  },
  {
    name: 'Research desk',
    description: 'Looks a question up in both course books and the assignment at once.',
    system_prompt: 'You answer questions about the course from its texts and say when they do not hold the answer.',
    prompt_template:
      'Statistics:{1_context}\n\nPython:{2_context}\n\nAssignment:{3_file}\n\nQuestion:{user_input}\n\nAnswer in short paragraphs. Cite as [n].',
    metadata: {
      assistant_type: 'multi_tool',
      orchestrator: 'parallel',
      connector: 'auto',
      tools: [
        search('1_context', STATISTICS.slug),
        search('2_context', PYTHON.slug),
        tool('single_file_rag', '3_file', { file_path: BRIEF_FILE, max_chars: 4000 }),
      ],
    },
  },
  {
    name: 'Course Q&A',
    description: 'A classic assistant: one knowledge base, one prompt.',
    system_prompt: 'You answer questions about statistics for first-year students.',
    prompt_template: 'Context:{context}\n\nQuestion:{user_input}',
    metadata: { prompt_processor: 'simple_augment', connector: 'auto', rag_processor: 'simple_rag' },
    RAG_collections: STATISTICS.slug,
    RAG_Top_k: 3,
  },
];

/** The build copies it beside the compiled code. */
const CONTENT = join(__dirname, 'content');

function fileOf(path: string, name: string): UploadedFile {
  const bytes = readFileSync(join(path, name));
  return { name, size: bytes.length, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Every file of one folder of the demo content, by name. */
function contentFolder(name: string): UploadedFile[] {
  const folder = join(CONTENT, name);
  return readdirSync(folder)
    .sort()
    .map((file) => fileOf(folder, file));
}

const contentRubric = (): unknown => JSON.parse(readFileSync(join(CONTENT, 'rubric.json'), 'utf8'));

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
    private readonly editor: AssistantEditor,
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
    for (const definition of demoAssistants(rubric.id)) ids.push((await this.editor.create(caller, definition)).row.id);
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
