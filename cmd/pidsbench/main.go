// Command pidsbench measures prompt-injection detectors on frozen splits.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"pidsbench/internal/cli"
)

func main() {
	state, err := cli.NewState()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pidsbench:", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(cli.Main(ctx, state))
}
