import { isJsonObject, type JsonObject } from '../../../kernel';
import { PLANNER_CHOICES, type PlannerChoice, type PlanningOptions } from './planning.types';

export const MAX_STEPS = 20;
export const DEFAULT_STEPS = 12;

const planner = (description: string, fallback?: PlannerChoice): JsonObject => ({
  type: 'string',
  description,
  enum: [...PLANNER_CHOICES],
  ...(fallback === undefined ? {} : { default: fallback }),
});

/** JSON Schema of the strategy's `orchestrator_options`. */
export const PLANNING_OPTIONS_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    planner: planner('Who plans; auto: a model where the server has one, else the heuristic planner.', 'auto'),
    max_steps: { type: 'integer', description: 'Most steps of a plan.', minimum: 1, maximum: MAX_STEPS, default: 12 },
    experiment: {
      type: 'object',
      description: 'Plans a fraction of the requests with another planner and compares how they go.',
      properties: {
        planner: planner('The planner that is compared.'),
        fraction: { type: 'number', description: 'Share of the requests.', minimum: 0, maximum: 1 },
      },
      required: ['planner', 'fraction'],
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

/** Reads settings that may be old or wrong. Invalid ones get their defaults. */
export function planningOptions(options: JsonObject): PlanningOptions {
  const { planner: wanted, max_steps: steps, experiment } = options;
  const other = isJsonObject(experiment) ? choiceOf(experiment['planner']) : undefined;
  const fraction = isJsonObject(experiment) ? experiment['fraction'] : undefined;
  return {
    planner: choiceOf(wanted) ?? 'auto',
    max_steps: Number.isInteger(steps) ? Math.min(Math.max(steps as number, 1), MAX_STEPS) : DEFAULT_STEPS,
    ...(other !== undefined && typeof fraction === 'number' && fraction >= 0 && fraction <= 1
      ? { experiment: { planner: other, fraction } }
      : {}),
  };
}

const choiceOf = (value: unknown): PlannerChoice | undefined => PLANNER_CHOICES.find((choice) => choice === value);
