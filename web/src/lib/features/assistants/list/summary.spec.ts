import { describe, expect, it } from 'vitest';
import { counted, summaryOf } from './summary';

describe('summary of an assistant', () => {
  it('names the processor of a classic one', () => {
    const of = (rag_processor?: string) => summaryOf({ type: 'classic', metadata: { rag_processor } })?.processor;
    expect([of('rubric_rag'), of('No RAG'), of(undefined), of('')]).toEqual([
      'rubric_rag',
      'No RAG',
      'no_rag',
      'no_rag',
    ]);
  });

  it('lists the enabled tools in order, under their names of today', () => {
    const tools = [
      { plugin: 'simple_rag', enabled: true },
      { type: 'rubric', config: {} },
      { plugin: 'single_file_rag', enabled: false },
      { plugin: 'simple_rag' },
    ];
    expect(summaryOf({ type: 'multi_tool', metadata: { tools } })?.tools).toEqual([
      'simple_rag',
      'rubric_rag',
      'simple_rag',
    ]);
  });

  it('counts an assistant that the pipeline asks as a tool', () => {
    const tools = [
      { plugin: 'assistant', placeholder: '1_assistant', config: { assistant_id: 4 } },
      { type: 'assistant', assistant_id: 5, name: 'Tutor' },
    ];
    expect(summaryOf({ type: 'multi_tool', metadata: { tools } })).toEqual({
      processor: null,
      tools: ['assistant'],
      functions: ['Tutor'],
    });
  });

  it('keeps functions apart from tools, whatever key holds them', () => {
    const metadata = {
      tools: ['weather', { type: 'knowledge_base', kb_id: 'x', name: 'Biology' }, { plugin: 'rubric_rag' }],
      functions: [{ type: 'image' }, 'moodle', 7],
    };
    expect(summaryOf({ type: 'multi_tool', metadata })).toEqual({
      processor: null,
      tools: ['rubric_rag'],
      functions: ['image', 'moodle', 'weather', 'Biology'],
    });
  });

  it('counts tools of one name', () => {
    const tools = ['simple_rag', 'rubric_rag', 'simple_rag', 'simple_rag'];
    expect(counted(tools, String)).toEqual(['3 × simple_rag', 'rubric_rag']);
  });

  it('is silent where the reader may not see the document', () => {
    expect(summaryOf({ type: 'classic' })).toBeNull();
  });
});
