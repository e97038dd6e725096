import { Button } from '@mantine/core';
import { api } from '../../api.ts';
import { useAct } from '../../parts/use-act.ts';
import { type OwnOrder, touchedBy } from './use-order.ts';

/** Nothing is paid yet, so nothing is lost by it: it is not asked twice. */
export const CancelOrder = ({ order: { id } }: { order: OwnOrder }) => {
  const cancel = useAct<void>(() => api.cancelOrder({ params: { id } }), {
    done: 'The order is cancelled.',
    touches: touchedBy(id),
  });
  return (
    <Button
      variant="default"
      style={{ alignSelf: 'flex-start' }}
      loading={cancel.isPending}
      onClick={() => cancel.mutate()}
    >
      Cancel the order
    </Button>
  );
};
