/** A place as a person writes it: its name and the areas around it (`Bergen, Norway`). */
export interface WantedPlace {
  readonly name: string;
  readonly within: readonly string[];
}

/** Members of a geocoding answer that say where a place is. */
export interface NamedPlace {
  readonly name: string;
  readonly country: string | null;
  readonly countryCode: string | null;
  /** Administrative areas, the largest first. */
  readonly areas: readonly string[];
}

const CODES: ReadonlyMap<string, string> = new Map([
  ['usa', 'us'],
  ['u s a', 'us'],
  ['united states of america', 'us'],
  ['uk', 'gb'],
  ['great britain', 'gb'],
]);

/** One spelling for comparing: no case, no accents, no punctuation. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** `Springfield, Illinois, USA` is a name and two areas around it. */
export function wantedPlace(text: string): WantedPlace {
  const [name = '', ...within] = text.split(',').map((part) => part.trim());
  return { name, within: within.filter((part) => part !== '') };
}

/** True when the place has exactly this name and lies in all the areas that were named. */
export function isPlace({ name, within }: WantedPlace, place: NamedPlace): boolean {
  if (folded(name) === '' || folded(place.name) !== folded(name)) return false;
  const around = new Set([place.country ?? '', place.countryCode ?? '', ...place.areas].map(folded));
  around.delete('');
  return within.map(folded).every((area) => around.has(area) || around.has(CODES.get(area) ?? area));
}
