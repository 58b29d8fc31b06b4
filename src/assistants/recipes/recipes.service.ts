import type { Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type Feature, OrganizationsService } from '../../organizations';
import { RECIPES } from './catalog';
import type { RecipeDto, RecipeListDto } from './recipe.dto';
import { sampleRubric } from './sample-rubric';
import { type Recipe, RECIPE_LANGUAGES, type RecipeLanguage } from './recipe.types';

/** The first language of an `Accept-Language` header (RFC 9110 §12.5.4) that recipes have, by weight; English without one. */
export function languageOf(header: string | undefined): RecipeLanguage {
  const wanted = (header ?? '').split(',').map((range, position) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
    return { primary: tag.split('-')[0], weight: weight === undefined ? 1 : Number(weight), position };
  });
  const ranked = wanted
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.position - b.position);
  for (const { primary } of ranked) {
    const known = RECIPE_LANGUAGES.find((language) => language === primary);
    if (known !== undefined) return known;
  }
  return 'en';
}

/** Whole assistants to start with, in one language. */
@Injectable()
export class RecipesService {
  constructor(private readonly organizations: OrganizationsService) {}

  async list({ organizationId }: Caller, acceptLanguage: string | undefined): Promise<RecipeListDto> {
    const { features } = await this.organizations.runtime(organizationId);
    const language = languageOf(acceptLanguage);
    const recipes = RECIPES.map((recipe) =>
      presented(
        recipe,
        language,
        recipe.needs.filter((feature) => !features[feature]),
      ),
    );
    return { recipes, count: recipes.length, language };
  }
}

function presented(recipe: Recipe, language: RecipeLanguage, missing: readonly Feature[]): RecipeDto {
  const { id, icon, materials, metadata, topic } = recipe;
  const questions = recipe.questions.map((question) => question[language]);
  return {
    id,
    icon,
    name: recipe.name[language],
    about: recipe.about[language],
    missing_features: missing,
    materials: materials.map(({ key, kind, name, hint, fills }) => ({
      ...{ key, kind, fills },
      name: name[language],
      hint: hint[language],
      ...(kind === 'rubric' ? { sample: sampleRubric(language) } : {}),
    })),
    questions,
    ...(topic === undefined
      ? {}
      : { topic: { material: topic.material, questions: topic.questions.map((question) => question[language]) } }),
    definition: {
      name: recipe.name[language],
      description: recipe.description[language],
      system_prompt: recipe.systemPrompt[language],
      prompt_template: recipe.promptTemplate[language],
      metadata: {
        _format_version: 3,
        assistant_type: 'multi_tool',
        connector: 'auto',
        suggested_questions: questions,
        ...metadata,
      },
    },
  };
}
