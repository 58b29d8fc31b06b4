import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

/** Makes a multi-tool assistant over a knowledge base and a rubric, publishes it, and asks it. */
export async function ask(baseUrl: string, key: string, question: string): Promise<string> {
  const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

  const base = await api.POST('/api/v1/knowledge-bases', { body: { name: 'Cell biology' } });
  if (base.data === undefined) throw new Error(base.error.detail);

  const now = new Date().toISOString();
  const rubric = await api.POST('/api/v1/rubrics', {
    body: {
      rubricId: 'answer-about-cells',
      title: 'Answers about cells',
      description: 'For short answers',
      scoringType: 'points',
      maxScore: 4,
      metadata: { createdAt: now, modifiedAt: now },
      criteria: [
        {
          id: 'terms',
          name: 'Terms',
          description: 'Uses the terms of the course',
          weight: 100,
          levels: [
            { id: 'all', score: 4, label: 'All', description: 'All of them' },
            { id: 'none', score: 0, label: 'None', description: 'None of them' },
          ],
        },
      ],
    },
  });
  if (rubric.data === undefined) throw new Error(rubric.error.detail);

  const assistant = await api.POST('/api/v1/assistants', {
    body: {
      name: 'Cell tutor',
      system_prompt: 'Answer from the material.',
      metadata: {
        assistant_type: 'multi_tool',
        orchestrator: 'parallel',
        connector: 'bypass',
        tools: [
          { plugin: 'simple_rag', config: { collections: [base.data.slug], top_k: 4 } },
          { plugin: 'rubric_rag', config: { rubric_id: rubric.data.id }, on_error: 'continue' },
        ],
      },
    },
  });
  if (assistant.data === undefined) throw new Error(assistant.error.detail);
  const path = { id: assistant.data.id };

  const published = await api.PUT('/api/v1/assistants/{id}/publication', { params: { path }, body: {} });
  if (published.data === undefined) throw new Error(published.error.detail);

  const answer = await api.POST('/api/v1/assistants/{id}/completions', {
    params: { path },
    body: { messages: [{ role: 'user', content: question }] },
  });
  if (answer.data === undefined) throw new Error(answer.error.detail);
  // With `stream: true` it would be a text of events.
  if (typeof answer.data === 'string') throw new Error('an answer as JSON was expected');
  return answer.data.choices.map(({ message }) => message.content ?? '').join('');
}
