import { PageHead } from '../../parts/page-head.tsx';

export const Order = () => <PageHead title="Order" />;
