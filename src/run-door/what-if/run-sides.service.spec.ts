import type { Caller } from '../../kernel';
import { RunSides } from './run-sides.service';

describe('a run in a comparison', () => {
  it("shows its answer without the asker's tokens", async () => {
    const access = { seen: () => Promise.resolve({ disclosure: 'whole' }) };
    const runs = {
      find: () => Promise.resolve({ status: 'completed' }),
      recording: () => Promise.resolve({ answer: 'See /file?token=secret' }),
    };
    const links = { withoutTokens: (text: string) => text.replace('?token=secret', '') };
    const sides = new RunSides(...([access, runs, links] as unknown as ConstructorParameters<typeof RunSides>));
    expect(await sides.find({ organizationId: 'o' } as Caller, 'run')).toMatchObject({ answer: 'See /file' });
  });
});
