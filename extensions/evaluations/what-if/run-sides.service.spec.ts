import type { Caller } from '@bellwether/kernel';
import { ComparedRuns } from './what-if.service';

describe('a run in a comparison', () => {
  it("shows its answer without the asker's tokens, and tells that it was read", async () => {
    const record = { status: 'completed', userId: 'student', question: 'why?' };
    const readings = { ofOne: jest.fn(() => Promise.resolve()) };
    const caller = { organizationId: 'o' } as Caller;
    const access = { seen: () => Promise.resolve({ disclosure: 'whole' }) };
    const runs = {
      find: () => Promise.resolve(record),
      recording: () => Promise.resolve({ answer: 'See /file?token=secret' }),
    };
    const links = { withoutTokens: (text: string) => text.replace('?token=secret', '') };
    const sides = new ComparedRuns(
      ...([access, runs, links, readings] as unknown as ConstructorParameters<typeof ComparedRuns>),
    );
    expect(await sides.find(caller, 'run')).toMatchObject({ answer: 'See /file' });
    expect(readings.ofOne).toHaveBeenCalledWith(caller, record);
  });
});
