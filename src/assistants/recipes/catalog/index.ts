import type { Recipe } from '../recipe.types';
import { CHAPTER_QUIZ } from './chapter-quiz.recipe';
import { COURSE_QUESTIONS } from './course-questions.recipe';
import { ESSAY_FEEDBACK } from './essay-feedback.recipe';
import { LAB_HELPER } from './lab-helper.recipe';
import { RESEARCH_DESK } from './research-desk.recipe';
import { SOCRATIC_TUTOR } from './socratic-tutor.recipe';

/** Recipes in the order in which pages show them. */
export const RECIPES: readonly Recipe[] = [
  COURSE_QUESTIONS,
  ESSAY_FEEDBACK,
  SOCRATIC_TUTOR,
  CHAPTER_QUIZ,
  LAB_HELPER,
  RESEARCH_DESK,
];
