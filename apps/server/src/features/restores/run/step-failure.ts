import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import { describeRefusal } from '../../backups/capture/failure-message.ts';
import { nameDangerous, onlyByPeople } from '../plan/loss.ts';

/**
 * Why a step failed, or was not even tried: a code with its data. The journal stores it, so its field
 * names are a stored format; sentences are made where it is read.
 */
export type StepFailure =
  | PlatformRefusal
  /** What it concerns could not be made. */
  | { code: 'dependencyMissing'; of: string }
  /** Held back: permissions of something could not be taken away first. */
  | { code: 'notTightened'; name: string }
  /** Held back: it could not be set who may see a channel. */
  | { code: 'notEdited'; name: string }
  /** Held back: nothing is deleted before its replacement is made. */
  | { code: 'notCreated'; name: string }
  /** Held back: it would open channels that could not be deleted. */
  | { code: 'channelsLeft' }
  /** Only a person may do it. It is nobody's failure: the step is done, and the owner is told. */
  | { code: 'closedToBots' }
  /** Newcomers would give themselves power by these roles: the rest is set, and the step is done. */
  | { code: 'powerNotOffered'; roles: string[] }
  /** Others have got these roles since the plan was made; the rest is set, and the step is done. */
  | { code: 'powerWithheld'; permissions: string; roles: string[] }
  /** Protection has stopped the person; the rest is set, and the step is done. */
  | { code: 'rolesTaken'; roles: string[] }
  /** The same of power by overwrites of their own. */
  | { code: 'powerTaken' }
  /** They give power that the plan knew nothing of; the rest is set, and the step is done. */
  | { code: 'powerNotGiven'; roles: string[] }
  /** The platform refused some of the fields; the others are set, and the step is done. */
  | { code: 'fieldsRefused'; fields: RefusedField[] };

type PlatformRefusal = {
  code: 'platform';
  kind: FailureKind;
  /** The platform's own code, and its words. */
  platformCode?: number;
  words?: string;
};

export type RefusedField = { field: string; refusal: PlatformRefusal };

/** The step depends on something that another step failed to create. */
export class DependencyMissing extends Error {
  constructor(readonly of: string) {
    super(`The ${of} it concerns was not made`);
    this.name = 'DependencyMissing';
  }
}

export const stepFailureOf = (error: DependencyMissing | PlatformFailure): StepFailure =>
  error instanceof PlatformFailure ? refusalOf(error) : { code: 'dependencyMissing', of: error.of };

export const refusalOf = ({ kind, code, detail }: PlatformFailure): PlatformRefusal => ({
  code: 'platform',
  kind,
  ...(code === undefined ? {} : { platformCode: code }),
  ...(detail === undefined ? {} : { words: detail }),
});

export const describeStepFailure = (failure: StepFailure): string => {
  switch (failure.code) {
    case 'platform':
      return sentenceOf(failure);
    case 'dependencyMissing':
      return `The ${failure.of} it concerns was not made`;
    case 'notTightened':
      return `Held back, because rights of ${failure.name} could not be taken away first`;
    case 'notEdited':
      return `Held back, because who may see ${failure.name} could not be set`;
    case 'notCreated':
      return `Held back, because ${failure.name} could not be made`;
    case 'channelsLeft':
      return 'Held back, because it would open channels that could not be deleted';
    case 'closedToBots':
      return 'The platform does not let a bot set it in this server: set it by hand, as the backup shows it';
    case 'powerNotOffered':
      return `Its options do not give the roles ${failure.roles.join(', ')}, because newcomers would get dangerous permissions by them: add them by hand where that is right`;
    case 'powerWithheld':
      return `${failure.roles.join(', ')} would get ${nameDangerous(failure)}${onlyByPeople}`;
    case 'rolesTaken':
      return `not given ${failure.roles.join(', ')}: they were stopped in an incident that is not over; give roles back there`;
    case 'powerTaken':
      return 'people who were stopped in an incident that is not over are not given dangerous permissions in it; give them back there';
    case 'powerNotGiven':
      return `not given ${failure.roles.join(', ')}: people would get dangerous permissions by it, which it has got since: it is given only by a person, in the dashboard with a second factor`;
    case 'fieldsRefused':
      return failure.fields
        .map(({ field, refusal }) => `${field} stays as it is. ${sentenceOf(refusal)}`)
        .join('; ');
  }
};

const sentenceOf = ({ kind, platformCode, words }: PlatformRefusal): string =>
  describeRefusal({ kind, code: platformCode, detail: words });
