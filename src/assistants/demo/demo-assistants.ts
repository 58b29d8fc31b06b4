import type { DefinitionInput } from '../definition';

export const STATISTICS = {
  slug: 'statistics-primer',
  name: 'Statistics primer',
  description: 'Describing data, sampling, testing',
};
export const PYTHON = {
  slug: 'python-for-data',
  name: 'Python for data',
  description: 'Containers, functions, tables',
};
export const BRIEF_FILE = 'essay-brief.txt';
export const ESSAY_FEEDBACK = 'Essay feedback';

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
export const demoAssistants = (rubricId: string): Definition[] => [
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
