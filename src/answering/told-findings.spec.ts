import { toldFindings } from './engine/answer-pipeline.service';

const ANSWER = 'Leaves are green.\nThe moon is cheese, says hidden-value.';

describe('what readers of an answer are told of a check', () => {
  it('is figures, kinds and statements of the answer, and no reasons', () => {
    const found = {
      checked: 'answer',
      unsupported: [
        { statement: 'The moon is  cheese', kind: 'contradicted', reason: 'The file says "basalt".' },
        { statement: 'The file says basalt', kind: 'not_in_material', reason: 'x' },
      ],
      confidence: 0.3,
      note: 'basalt',
    };
    expect(toldFindings(JSON.stringify(found), ANSWER, [])).toEqual({
      checked: 'answer',
      unsupported: [{ statement: 'The moon is  cheese', kind: 'contradicted' }, { kind: 'not_in_material' }],
      confidence: 0.3,
    });
  });

  it('is which claim rests on which source', () => {
    const claims = [{ claim: 'leaves are green.', supported: true, sources: [1], results: ['1_file'] }];
    const found = { checked: 'answer', supported: 1, claims };
    expect(toldFindings(JSON.stringify(found), ANSWER, [])).toEqual(found);
  });

  it('is no secret, no prose in the place of a word, and nothing of what is no object', () => {
    const found = { kind: 'the file says basalt', claims: [{ claim: 'says hidden-value.' }] };
    expect(toldFindings(JSON.stringify(found), ANSWER, ['hidden-value'])).toEqual({
      claims: [{ claim: 'says [redacted].' }],
    });
    expect(['basalt', '["basalt"]', '"basalt"'].map((text) => toldFindings(text, ANSWER, []))).toEqual([{}, {}, {}]);
  });
});
