import type { Source } from '../kernel';

/** Title, URL and similarity as LAMB prints them; a source without one prints `Unknown`, nothing and 0.000. */
export interface SourceLine {
  readonly title: string;
  readonly url: string;
  readonly similarity: string;
}

export function sourceLine(source: Source): SourceLine {
  if (source.type === 'knowledge_base') {
    return { title: source.title, url: source.url, similarity: threeDecimals(source.similarity) };
  }
  return { title: source.type === 'rubric' ? source.title : 'Unknown', url: '', similarity: '0.000' };
}

export const SOURCES_HEADING = '\n\n## Available Sources\n\n';

/** The block that classic's `simple_augment` puts behind its context (LAMB compatibility); empty without sources. */
export function sourcesBlock(sources: readonly Source[]): string {
  if (sources.length === 0) return '';
  const lines = sources.map((source, index) => {
    const { title, url, similarity } = sourceLine(source);
    return `${index + 1}. [${title}](${url}) (similarity: ${similarity})\n`;
  });
  return SOURCES_HEADING + lines.join('');
}

/** Python's `.3f`: a tie goes to the even digit, where `toFixed` takes the larger. Only odd sixteenths can tie. */
function threeDecimals(value: number): string {
  const sixteenths = value * 16;
  if (!Number.isInteger(sixteenths) || sixteenths % 2 === 0) return value.toFixed(3);
  const floor = Math.floor(value * 1000);
  return ((floor % 2 === 0 ? floor : floor + 1) / 1000).toFixed(3);
}
