import { describeTool } from '../testing/tool.conformance';
import { NoRagTool } from './no-rag.tool';

describeTool('no_rag', {
  tool: () => new NoRagTool(),
  working: {},
  refused: [[[], '']],
  incomplete: [],
});

describe('no_rag', () => {
  it('fills no slot and says nothing', async () => {
    const tool = new NoRagTool();
    expect(tool.definition.placeholder).toBeNull();
    expect(await tool.run()).toEqual({ content: '', sources: [], confidence: null });
  });
});
