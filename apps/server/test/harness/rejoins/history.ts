import fc from 'fast-check';

/** So many people are verified for the server; two more are only in the guild. */
export const trackedPeople = 4;
export const allPeople = trackedPeople + 2;
export const roleCount = 4;

/** Mostly the same one, so that much happens to somebody. */
const person = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat({ max: allPeople - 1 }) },
);
const tracked = fc.nat({ max: trackedPeople - 1 });
const role = fc.nat({ max: roleCount - 1 });
const roles = fc.uniqueArray(role, { maxLength: roleCount });
const nick = fc.constantFrom(null, 'Gull', 'Tern');

/** What may happen on the platform, to the connection, or by the owner and the people themselves. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('leave' as const), person }) },
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('join' as const), person }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('change' as const), person, roles, nick }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('lose' as const, 'regain' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('resume' as const, 'renew' as const) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('role' as const), role },
      becomes: fc.constantFrom(
        'harmless' as const,
        'dangerous' as const,
        'high' as const,
        'gone' as const,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('switch' as const), isOn: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('withdraw' as const, 'erase' as const),
      person: tracked,
    }),
  },
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

export const history = fc.array(step, { minLength: 8, maxLength: 18 });

type RoleState = 'harmless' | 'dangerous' | 'high' | 'gone';
type Held = { roles: ReadonlySet<number>; nick: string | null };
type Person = {
  /** What they have in the guild; undefined while they are not in it. */
  has: Held | undefined;
  /** What the service can know that they had, last. */
  known: Held | undefined;
  /** They came since everything was last settled. */
  isBack: boolean;
  isTracked: boolean;
  hasConsent: boolean;
};

/** What should be, by the rule alone: nobody's code is used here. */
export const createModel = () => {
  const roleStates: RoleState[] = Array.from({ length: roleCount }, () => 'harmless');
  let isConnected = true;
  let isOn = true;
  const first: Held = { roles: new Set([0, 1]), nick: 'Bosun' };
  const people = Array.from({ length: allPeople }, (_, at): Person => {
    const isTracked = at < trackedPeople;
    // One of them is verified, but did not consent.
    const hasConsent = isTracked && at !== trackedPeople - 1;
    return { has: first, known: first, isBack: false, isTracked, hasConsent };
  });
  const givable = (at: number) => roleStates[at] === 'harmless';

  /** What one who came back gets, if they get anything. */
  const giveBack = (one: Person): void => {
    const { has, known, isBack } = one;
    if (!has || !isBack || !known || !one.hasConsent || !isOn) return;
    const given = [...known.roles].filter(givable);
    one.has = { roles: new Set([...has.roles, ...given]), nick: has.nick ?? known.nick };
  };
  const settle = (): void => {
    for (const one of people) {
      giveBack(one);
      one.isBack = false;
      if (one.has) one.known = one.has;
    }
  };
  return {
    people,
    roleStates,
    isConnected: () => isConnected,
    isOn: () => isOn,
    /** Those to whom something may be given now. */
    mayBeGiven: () => people.map((one) => one.isBack && one.hasConsent && isOn),
    givableRoles: () => new Set(roleStates.flatMap((_, at) => (givable(at) ? [at] : []))),
    apply(step: Step): void {
      applyStep({ people, roleStates }, step);
      if (step.kind === 'lose') isConnected = false;
      if (step.kind === 'regain') isConnected = true;
      if (step.kind === 'switch') isOn = step.isOn;
    },
    settle,
  };
};
export type Model = ReturnType<typeof createModel>;

const applyStep = (
  { people, roleStates }: Pick<Model, 'people' | 'roleStates'>,
  step: Step,
): void => {
  const one = 'person' in step ? people[step.person] : undefined;
  if (step.kind === 'role' && roleStates[step.role] !== 'gone') {
    roleStates[step.role] = step.becomes;
    if (step.becomes === 'gone') for (const each of people) loseRole(each, step.role);
  }
  if (!one) return;
  if (step.kind === 'leave') Object.assign(one, { has: undefined, isBack: false });
  if (step.kind === 'join' && !one.has) {
    Object.assign(one, { has: { roles: new Set(), nick: null }, isBack: true });
  }
  if (step.kind === 'change' && one.has) {
    const there = step.roles.filter((at) => roleStates[at] !== 'gone');
    one.has = { roles: new Set(there), nick: step.nick };
  }
  if (step.kind === 'withdraw') one.hasConsent = false;
  if (step.kind === 'erase') Object.assign(one, { hasConsent: false, isTracked: false });
};

const loseRole = (one: Person, role: number): void => {
  if (!one.has) return;
  const roles = new Set(one.has.roles);
  roles.delete(role);
  one.has = { ...one.has, roles };
};
