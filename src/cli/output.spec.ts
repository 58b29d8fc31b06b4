import { Command } from 'commander';
import { registerAssistantCommands } from './assistants/assistants.commands';
import { registerAuditCommands } from './audit.commands';
import { registerInstitutionCommands } from './institution.commands';
import { EXIT, print, printFailure } from '../infrastructure/commands';
import { registerPeopleCommands } from './people/people.commands';

const HOSTILE = 'Latin\u001b]52;c;ZXZpbA==\u0007 \u202Eexe';
const SHOWN = 'Latin ]52;c;ZXZpbA==   exe';

describe('output of a command', () => {
  let written: string[];
  beforeEach(() => {
    written = [];
    for (const stream of [process.stdout, process.stderr])
      jest.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });

  it('gives a terminal no orders, whatever an assistant or a message is called', () => {
    print({ text: `one\n${HOSTILE}`, data: {} }, {});
    expect(process.exitCode).toBe(EXIT.done);
    printFailure(HOSTILE, {}, EXIT.usage);
    expect(process.exitCode).toBe(EXIT.usage);
    expect(written).toEqual([`one\n${SHOWN}\n`, `${SHOWN}\n`]);
  });

  it('keeps every name as it is for programs', () => {
    print({ text: '', data: { name: HOSTILE }, ok: false }, { json: true });
    printFailure(HOSTILE, { json: true });
    expect(process.exitCode).toBe(EXIT.failed);
    expect(written.join('')).not.toMatch(/\u202E|(?!\n)\p{Cc}/u);
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { ok: false, name: HOSTILE },
      { ok: false, error: HOSTILE },
    ]);
  });
});

it('takes --org and --organization alike', () => {
  const program = new Command();
  const groups = [
    registerAssistantCommands,
    registerAuditCommands,
    registerInstitutionCommands,
    registerPeopleCommands,
  ];
  for (const group of groups) group(program, () => undefined);
  const options = program.commands.flatMap((command) => [...command.options]);
  const named = options.filter(({ long, short }) =>
    [long, short].some((flag) => /^--org(?:anization)?$/.test(flag ?? '')),
  );
  expect(named.length).toBeGreaterThan(8);
  for (const { long, short } of named) expect([long, short].sort()).toEqual(['--org', '--organization']);
});
