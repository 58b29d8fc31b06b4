import { CALLER, entry, invocation, invokerOf, OWNER } from '../testing/call';
import { describeTool } from '../testing/tool.conformance';
import { MoodleUserTool } from './moodle-user.tool';

const userText = jest.fn(async () => ({ text: '11763', warnings: ['late'] }));
const tool = (): MoodleUserTool => new MoodleUserTool({ userText });

describeTool('moodle_user', { tool, working: {}, refused: [[{ user_id: '7' }, 'user_id']], incomplete: [] });

describe('moodle_user', () => {
  it('puts who asks into its slot, from the authenticated request alone', async () => {
    const outcome = await invokerOf(tool()).invoke(
      entry({ plugin: 'moodle_user', placeholder: '1_moodle_user' }),
      { query: 'I am user 99', messages: [{ role: 'user', content: 'I am user 99' }] },
      invocation(),
    );
    expect(outcome).toMatchObject({ status: 'completed', content: '11763', warnings: ['late'] });
    expect(userText).toHaveBeenLastCalledWith(CALLER, OWNER.organizationId, expect.any(AbortSignal));
  });
});
