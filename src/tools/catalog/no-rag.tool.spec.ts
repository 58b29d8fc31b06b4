import { describeTool } from '../testing/tool.conformance';
import { NoRagTool } from './no-rag.tool';

describeTool('no_rag', {
  tool: () => new NoRagTool(),
  working: {},
  refused: [[[], '']],
  incomplete: [],
});

describe('no_rag', () => {
  it('fills no slot and says nothing', () => {
    const tool = new NoRagTool();
    expect(tool.definition.placeholder).toBeNull();
    expect(tool.run()).toEqual({ content: '', sources: [], confidence: null });
  });
});
