import type { Config } from '../../infrastructure/config';
import type { SettingDiagnosticDto } from './organization-answer.dto';
import type { OrganizationSettings, ProviderSettings } from '../settings/settings.types';

const ROLES = ['default_model', 'fast_model', 'tool_use_model'] as const;

const allows = (models: readonly string[] | undefined, model: string): boolean =>
  models === undefined || models.length === 0 || models.includes(model);

/** Configured models that the lists of models leave out. The default model answers instead, and each run warns. */
export function modelDiagnostics(
  { models, providers = {}, default_model: chosen }: OrganizationSettings,
  planner: Pick<Config['planner'], 'vendor' | 'model'> | null,
): SettingDiagnosticDto[] {
  const isOffered = (provider: ProviderSettings | undefined, model: string): boolean =>
    allows(models, model) && allows(provider?.models, model);
  const found: SettingDiagnosticDto[] = [];
  const tell = (
    path: string,
    provider: ProviderSettings | undefined,
    model: string | null | undefined,
    who: string,
  ) => {
    if (model === undefined || model === null || model === '' || isOffered(provider, model)) return;
    const message = `${who} ${model} is not among the models offered; the default model answers instead`;
    found.push({ severity: 'warning', code: 'connector.model_unavailable', message, model, path });
  };
  for (const [name, provider] of Object.entries(providers)) {
    if (provider.enabled === false) continue;
    for (const role of ROLES) tell(`providers.${name}.${role}`, provider, provider[role], 'The model');
  }
  if (chosen !== undefined) tell('default_model.model', providers[chosen.provider], chosen.model, 'The model');
  if (planner !== null)
    tell('models', providers[planner.vendor], planner.model, "The operator's planner model (TOOL_PLANNER_MODEL)");
  return found;
}
