export { isIn, type TextLanguage } from './language.types';
export { LanguageDetector } from './language-detector';
export { LanguagesModule } from './languages.module';
