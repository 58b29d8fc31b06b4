import { AppError } from '@bellwether/kernel';
import { type LambSource, recordedQuestions } from '@bellwether/lamb-reader';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { rehearsalJson, rehearsalMarkdown, rehearsalText } from '../rehearsal/rehearsal-report';
import { LambRehearsal, readQuestions } from '../rehearsal/rehearsal.service';
import type { Credential, RehearsalReport, RehearsedQuestion } from '../rehearsal/rehearsal.types';
import { BadUsage, type CommandContext } from '../../../src/infrastructure/commands';

/**
 * A secret from the environment, or typed at the terminal without an echo. Arguments would be in the list of processes.
 * @throws {BadUsage} without a terminal to ask at
 */
async function readSecret(
  variable: string,
  question: string,
  { [variable]: given }: CommandContext['environment'],
): Promise<string> {
  if (given !== undefined && given !== '') return given;
  if (!process.stdin.isTTY) throw new BadUsage(`${variable} is not set, and there is no terminal to ask at`);
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    const secret = await terminal.question('');
    if (secret === '') throw new BadUsage(`${variable} is empty`);
    return secret;
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

export interface RehearsalCommandOptions {
  readonly rehearse?: string;
  readonly rehearsePrivate?: boolean;
  readonly rehearseAs?: string;
  readonly questions?: string;
  readonly recordedQuestions?: boolean;
  readonly rate: string;
  readonly timeout: string;
  readonly report: string;
}

type Given = RehearsalCommandOptions & { readonly dryRun?: boolean; readonly source: string; readonly org?: string };

const TOKEN = 'LAMB_TOKEN';
const PASSWORD = 'LAMB_PASSWORD';
const FASTEST = 20;
const LONGEST_SECONDS = 600;

export interface WantedRehearsal {
  readonly address: string;
  readonly isPrivateAllowed: boolean;
  readonly credential: Credential;
  readonly questions: readonly RehearsedQuestion[] | null;
  readonly requestsPerSecond: number;
  readonly timeoutMs: number;
  readonly files: { readonly markdown: string; readonly json: string; readonly state: string };
}

/** Reads options, questions and the secret before anything is imported; null without `--rehearse`. @throws {BadUsage} */
export async function wantedRehearsal(
  options: Given,
  { args: [sqliteFile = ''], environment }: CommandContext,
): Promise<WantedRehearsal | null> {
  if (options.rehearse === undefined) return null;
  if (options.dryRun === true) throw new BadUsage('--rehearse asks imported assistants; --dry-run imports none');
  if (options.questions !== undefined && options.recordedQuestions === true)
    throw new BadUsage('--questions and --recorded-questions exclude each other');
  if (!options.report.endsWith('.md')) throw new BadUsage('--report: a file that ends in .md');
  const base = options.report.slice(0, -'.md'.length);
  return {
    address: addressOf(options.rehearse),
    isPrivateAllowed: options.rehearsePrivate === true,
    requestsPerSecond: numberOf('--rate', options.rate, FASTEST),
    timeoutMs: numberOf('--timeout', options.timeout, LONGEST_SECONDS) * 1000,
    questions: questionsOf(options, sqliteFile),
    credential: await credentialOf(options.rehearseAs, environment),
    files: { markdown: options.report, json: `${base}.json`, state: `${base}.state.jsonl` },
  };
}

/** Never changes the result of the import: what fails becomes a sentence. */
export async function rehearse(
  application: INestApplicationContext,
  source: LambSource,
  { files, ...wanted }: WantedRehearsal,
  { source: sourceName, org }: Given,
  { progress, signal }: CommandContext,
): Promise<{ readonly text: string; readonly data: Record<string, unknown>; readonly ok: boolean }> {
  let report: RehearsalReport;
  try {
    report = await application.get(LambRehearsal).run(source, {
      ...wanted,
      sourceName,
      organization: org ?? null,
      stateFile: files.state,
      progress,
      signal,
    });
    writeFileSync(files.markdown, `${rehearsalMarkdown(report)}\n`, { mode: 0o600 });
    writeFileSync(files.json, `${JSON.stringify(rehearsalJson(report), null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    const stopped = sentenceOf(error);
    return { text: `No rehearsal: ${stopped}`, data: { rehearsal: { stopped } }, ok: false };
  }
  const { pairs: _, assistants: __, ...summary } = rehearsalJson(report);
  return {
    text: `${rehearsalText(report)}\nReport: ${files.markdown} and ${files.json}.`,
    data: { rehearsal: { ...summary, report: files.markdown } },
    ok: report.stopped === null,
  };
}

const sentenceOf = (error: unknown): string => {
  if (error instanceof AppError) return error.detail;
  if (error instanceof Error && 'syscall' in error) return error.message;
  throw error;
};

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!isPlain || url.username !== '' || url.password !== '')
    throw new BadUsage("--rehearse: LAMB's http or https address, without user name, password and query");
  return url.href.replace(/(?<!\/)\/+$/, '');
}

function numberOf(option: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= most) return value;
  throw new BadUsage(`${option}: a number above 0, at most ${most}`);
}

function questionsOf({ questions, recordedQuestions: isRecorded }: Given, sqliteFile: string) {
  if (isRecorded === true) return recordedQuestions(sqliteFile);
  if (questions === undefined) return null;
  let text: string;
  try {
    text = readFileSync(questions, 'utf8');
  } catch (error) {
    throw new AppError('bad_request', `--questions: ${questions} cannot be read`, { cause: error });
  }
  return readQuestions(text);
}

async function credentialOf(
  email: string | undefined,
  environment: CommandContext['environment'],
): Promise<Credential> {
  if (email === undefined) return { kind: 'token', token: await readSecret(TOKEN, 'Token of LAMB: ', environment) };
  return {
    kind: 'password',
    email,
    password: await readSecret(PASSWORD, `Password of ${email} in LAMB: `, environment),
  };
}
