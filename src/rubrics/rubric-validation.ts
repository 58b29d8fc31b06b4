import { isJsonObject, isPlainName, type JsonObject, NAME_RULE, type Problem } from '@bellwether/kernel';
import { SCORING_TYPES } from './rubric.types';

const CRITERIA_MAX = 100;
const LEVELS_MAX = 50;
const ID_MAX = 200;
const LINE_MAX = 500;
const TEXT_MAX = 20_000;
const RUBRIC_ID_MIN = 10;

/** Members that the service sets. */
const RESERVED = ['id', 'owner', 'organization', 'visibility', 'access', 'origin_id', 'created_at', 'updated_at'];

type Report = (path: string, message: string, code: string, limit?: number) => void;

function missingOr(value: unknown, path: string, message: string, report: Report): void {
  if (value === undefined) report(path, 'is required', 'value.missing');
  else report(path, message, 'value.type');
}

interface TextRule {
  readonly min?: number;
  readonly max: number;
  readonly optional?: boolean;
}

function text(value: unknown, path: string, { min = 0, max, optional = false }: TextRule, report: Report): void {
  if (value === undefined && optional) return;
  if (typeof value !== 'string') return missingOr(value, path, 'must be a string', report);
  const { length } = value.trim();
  if (length === 0 && min > 0) report(path, 'must not be empty', 'value.missing');
  else if (length < min) report(path, `must be at least ${min} long`, 'value.min_length', min);
  else if (value.length > max) report(path, `must be at most ${max} characters`, 'value.max_length', max);
}

function name(value: unknown, path: string, report: Report): void {
  text(value, path, { min: 1, max: LINE_MAX }, report);
  if (typeof value === 'string' && !isPlainName(value)) report(path, NAME_RULE, 'value.name');
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function order(value: unknown, path: string, report: Report): void {
  if (value !== undefined && (!isNumber(value) || value < 0))
    report(path, 'must be a number of at least 0', 'value.minimum', 0);
}

function list(value: unknown, path: string, min: number, max: number, report: Report): readonly unknown[] {
  if (!Array.isArray(value)) {
    missingOr(value, path, 'must be a list', report);
    return [];
  }
  if (value.length < min) report(path, `must hold at least ${min}`, 'value.min_items', min);
  if (value.length <= max) return value as unknown[];
  report(path, `must hold at most ${max}`, 'value.max_items', max);
  return [];
}

/** Calls `visit` with each object. Reports other members and duplicate ids. */
function eachObject(
  items: readonly unknown[],
  path: string,
  report: Report,
  visit: (item: JsonObject, itemPath: string) => void,
): void {
  const ids = new Set<unknown>();
  items.forEach((item, index) => {
    const itemPath = `${path}[${index}]`;
    if (!isJsonObject(item)) return report(itemPath, 'must be an object', 'value.type');
    text(item['id'], `${itemPath}.id`, { min: 1, max: ID_MAX }, report);
    if (typeof item['id'] === 'string' && ids.has(item['id'])) report(`${itemPath}.id`, 'is used twice', 'value.taken');
    ids.add(item['id']);
    visit(item, itemPath);
  });
}

function level(item: JsonObject, path: string, report: Report): void {
  if (!isNumber(item['score'])) report(`${path}.score`, 'must be a number', 'value.number');
  text(item['label'], `${path}.label`, { max: LINE_MAX }, report);
  text(item['description'], `${path}.description`, { max: TEXT_MAX }, report);
  order(item['order'], `${path}.order`, report);
}

function criterion(item: JsonObject, path: string, report: Report): void {
  name(item['name'], `${path}.name`, report);
  text(item['description'], `${path}.description`, { min: 1, max: TEXT_MAX }, report);
  if (!isNumber(item['weight']) || item['weight'] < 0)
    report(`${path}.weight`, 'must be a number of at least 0', 'value.minimum', 0);
  order(item['order'], `${path}.order`, report);
  const levels = list(item['levels'], `${path}.levels`, 2, LEVELS_MAX, report);
  eachObject(levels, `${path}.levels`, report, (each, levelPath) => level(each, levelPath, report));
}

function metadata(value: unknown, report: Report): void {
  if (!isJsonObject(value)) return missingOr(value, 'metadata', 'must be an object', report);
  for (const member of ['createdAt', 'modifiedAt']) {
    text(value[member], `metadata.${member}`, { min: 1, max: ID_MAX }, report);
  }
  for (const member of ['subject', 'gradeLevel', 'author']) {
    text(value[member], `metadata.${member}`, { max: LINE_MAX, optional: true }, report);
  }
  const { tags } = value;
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'))) {
    report('metadata.tags', 'must be a list of strings', 'value.type');
  }
}

function head(document: JsonObject, report: Report): void {
  for (const member of RESERVED) if (member in document) report(member, 'is set by the service', 'value.unknown');
  text(document['rubricId'], 'rubricId', { min: RUBRIC_ID_MIN, max: ID_MAX }, report);
  name(document['title'], 'title', report);
  text(document['description'], 'description', { max: TEXT_MAX }, report);
  if (!SCORING_TYPES.some((type) => type === document['scoringType'])) {
    report('scoringType', `must be one of ${SCORING_TYPES.join(', ')}`, 'value.enum');
  }
  if (!isNumber(document['maxScore']) || document['maxScore'] <= 0)
    report('maxScore', 'must be a number greater than 0', 'value.above', 0);
}

/** All problems of a rubric document with their paths. Unknown members are valid. */
export function rubricProblems(document: unknown): Problem[] {
  if (!isJsonObject(document))
    return [{ path: '', message: 'must be a rubric: a JSON object', code: 'rubric.not_one' }];
  const problems: Problem[] = [];
  const report: Report = (path, message, code, limit) =>
    void problems.push({ path, message, code, ...(limit === undefined ? {} : { values: { limit } }) });
  head(document, report);
  metadata(document['metadata'], report);
  const criteria = list(document['criteria'], 'criteria', 1, CRITERIA_MAX, report);
  eachObject(criteria, 'criteria', report, (item, path) => criterion(item, path, report));
  return problems;
}
