/**
 * The words of an operation on the command line, from its name: `createBackup` is `backups create`.
 * Groups are the resources that the API's paths name; what else a name says becomes part of the verb.
 *
 *   getBackupContents    backups contents
 *   updateAlertSettings  alerts update-settings
 *   createFirewallRule   firewall create
 *   returnRoles          incidents return-roles     (no resource in its name: that of its path)
 */
export const commandOf = (
  name: string,
  path: string,
  resources: ReadonlySet<string>,
): [group: string, verb: string] => {
  const [verb = name, ...noun] = wordsOf(name);
  for (let length = noun.length; length > 0; length--) {
    const group = resourceOf(noun.slice(0, length).join('-'), resources);
    if (group !== undefined) return [group, verbOf(verb, noun.slice(length))];
  }
  return [path.split('/')[1] ?? name, [verb, ...noun].join('-')];
};

/** Every part of a path that is not a parameter: an id follows it, or it is one of a kind. */
export const resourcesOf = (paths: string[]): Set<string> =>
  new Set(paths.flatMap((path) => path.split('/').filter((part) => /^[a-z]/.test(part))));

/** `listMassVerifications` → list, mass, verifications. */
const wordsOf = (name: string): string[] =>
  name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

/** The plural comes first: `POST /servers/:id/pull` makes one of the `/pulls`. */
const resourceOf = (noun: string, resources: ReadonlySet<string>): string | undefined =>
  [`${noun}s`, noun].find((name) => resources.has(name));

/** Words for one element of a list that is named after its purpose. */
const elements = ['rule', 'rules', 'entry'];

const verbOf = (verb: string, noun: string[]): string => {
  const rest = noun.filter((word) => !elements.includes(word)).join('-');
  if (rest === '') return verb;
  return verb === 'get' || verb === 'list' ? rest : `${verb}-${rest}`;
};
