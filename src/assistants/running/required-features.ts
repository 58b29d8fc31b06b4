import type { AssistantDocument } from '../definition';
import { AppError } from '../../kernel';
import type { Features } from '../../organizations';
import type { StrategyCatalogue } from '../../orchestrators';
import type { RequiredFeature } from '../access/assistant.types';

/** Nothing for a classic assistant without functions, which every organization has. */
export function requiredFeatures(
  { type, orchestrator, functions }: AssistantDocument,
  strategies: Pick<StrategyCatalogue, 'find'>,
): RequiredFeature[] {
  const required: RequiredFeature[] = [];
  const feature = strategies.find(orchestrator)?.definition.feature;
  if (type === 'multi_tool') required.push({ feature: 'multi_tool', subject: 'Multi-tool assistants' });
  if (type === 'multi_tool' && feature !== undefined)
    required.push({ feature, subject: `Assistants with the strategy \`${orchestrator}\`` });
  if (functions.length > 0) required.push({ feature: 'functions', subject: 'Assistants with functions' });
  return required;
}

/** The first required feature that the organization has switched off. */
export const switchedOff = (required: readonly RequiredFeature[], features: Features): RequiredFeature | undefined =>
  required.find(({ feature }) => !features[feature]);

/** @throws {AppError} `feature_disabled` */
export function assertFeatures(required: readonly RequiredFeature[], features: Features): void {
  const off = switchedOff(required, features);
  if (off !== undefined) throw new AppError('feature_disabled', `${off.subject} are switched off in this organization`);
}
