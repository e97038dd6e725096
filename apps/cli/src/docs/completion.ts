import { type CommandSpec, commonOptions, type OptionSpec } from '../command.ts';
import { specOf } from '../parse.ts';

type Candidate = { word: string; description: string };

/** What could stand in the place of the last word, given those before it. */
export const candidatesFor = (specs: CommandSpec[], words: string[]): Candidate[] => {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  return allCandidates(specs, before, typed).filter(({ word }) => word.startsWith(typed));
};

const allCandidates = (specs: CommandSpec[], before: string[], typed: string): Candidate[] => {
  const spec = specOf(specs, before);
  if (!spec) return commandWords(specs, before);
  const options = [...(spec.options ?? []), ...commonOptions];
  const previous = options.find(({ flags }) => namesOf(flags).includes(before.at(-1) ?? ''));
  if (previous?.flags.includes('<')) return valueCandidates(previous, typed);
  const fields = previous === jsonOption ? fieldCandidates(spec, typed) : [];
  if (typed.startsWith('-')) return options.flatMap(optionCandidates);
  const position = argumentsIn(before, options) - spec.words.length;
  const values = spec.arguments?.[position]?.values ?? [];
  return [...fields, ...values.map((word) => ({ word, description: '' }))];
};

/** How many words are neither options nor their values. */
const argumentsIn = (words: string[], options: OptionSpec[]): number => {
  const takesNext = (word = '') =>
    options.some(({ flags }) => flags.includes('<') && namesOf(flags).includes(word));
  return words.filter((word, index) => !word.startsWith('-') && !takesNext(words[index - 1]))
    .length;
};

const jsonOption = commonOptions.find(({ flags }) => flags.startsWith('--json'));

const fieldCandidates = ({ outputFields }: CommandSpec, typed: string): Candidate[] =>
  valueCandidates({ flags: '', description: '', values: outputFields, isRepeatable: true }, typed);

/** Groups and tasks, or the verbs of a group. */
const commandWords = (specs: CommandSpec[], before: string[]): Candidate[] => {
  const [group] = before;
  if (before.length > 1) return [];
  const within = specs.filter(({ words }) => group === undefined || words[0] === group);
  const candidates = within.map(({ words, summary }) => {
    const word = words[before.length] ?? '';
    return { word, description: group === undefined && words.length > 1 ? '' : summary };
  });
  return candidates.filter(
    ({ word }, index) => candidates.findIndex((other) => other.word === word) === index,
  );
};

/** `-y, --yes` → `-y` and `--yes`. */
const namesOf = (flags: string): string[] => flags.match(/--?[\w-]+/g) ?? [];

const optionCandidates = ({ flags, description }: OptionSpec): Candidate[] =>
  namesOf(flags)
    .filter((word) => word.startsWith('--'))
    .map((word) => ({ word, description }));

/** Of a list, the part after the last comma is completed. */
const valueCandidates = ({ values = [], isRepeatable }: OptionSpec, typed: string): Candidate[] => {
  const kept = isRepeatable ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  return values.map((value) => ({ word: `${kept}${value}`, description: '' }));
};

/** Each script asks the program itself, so that it knows every command of the installed version. */
export const completionScripts: Record<string, string> = {
  bash: `_holdfast() {
  local IFS=$'\\n'
  COMPREPLY=($(holdfast __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _holdfast holdfast
`,
  zsh: `#compdef holdfast
_holdfast() {
  local -a found
  found=("\${(@f)$(holdfast __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found//$'\\t'/:}")
  _describe holdfast found || _files
}
compdef _holdfast holdfast
`,
  fish: `function __holdfast_complete
  set -l found (holdfast __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c holdfast -f -a '(__holdfast_complete)'
`,
};
