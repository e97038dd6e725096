import { describeLoss, type StoredLoss } from '../plan/loss.ts';
import type { Step } from '../plan/step.ts';
import { nameSubject } from '../plan/subject-label.ts';
import { type Difference, describeDifference } from '../verify/describe-difference.ts';
import { describeStepFailure, type StepFailure } from './step-failure.ts';

/**
 * What a restore has to say at its end, as the database keeps it. Plans warn in sentences, and so do
 * restores of earlier versions.
 */
export type StoredWarning =
  | string
  | ({ about: 'step'; failure: StepFailure } & Pick<Step, 'type' | 'name' | 'effect'>)
  | ({ about: 'loss' } & StoredLoss)
  | ({ about: 'difference' } & Difference)
  | { about: 'more'; count: number };

export const describeWarning = (warning: StoredWarning): string => {
  if (typeof warning === 'string') return warning;
  switch (warning.about) {
    case 'step':
      return describeStep(warning);
    case 'loss':
      return describeLoss(warning);
    case 'difference':
      return describeDifference(warning);
    case 'more':
      return `and ${warning.count} more`;
  }
};

const doneAllTheSame: StepFailure['code'][] = [
  'fieldsRefused',
  'closedToBots',
  'powerNotGiven',
  'powerTaken',
  'powerWithheld',
  'rolesTaken',
];

type StepWarning = Extract<StoredWarning, { about: 'step' }>;

const describeStep = ({ type, name, effect, failure }: StepWarning): string => {
  const reason = describeStepFailure(failure);
  const isDone = doneAllTheSame.includes(failure.code);
  return `${nameSubject(type, name)}: ${isDone ? '' : `${effect} failed: `}${reason}`;
};
