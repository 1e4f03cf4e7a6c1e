;;; Emacs: put one of the two into your configuration. asldbg has to be in the PATH.

;; dape (GNU ELPA): M-x dape, then asldbg.
(with-eval-after-load 'dape
  (add-to-list 'dape-configs
               `(asldbg
                 modes (json-mode json-ts-mode js-json-mode yaml-mode yaml-ts-mode)
                 command "asldbg"
                 command-args ("dap")
                 :type "asldbg"
                 :request "launch"
                 :program dape-buffer-default
                 :stopOnEntry t
                 :stopAtEnd t)))

;; dap-mode: M-x dap-debug, then Debug state machine.
(with-eval-after-load 'dap-mode
  (defvar dap-exception-breakpoints nil)
  (dap-register-debug-provider
   "asldbg"
   (lambda (configuration)
     (dap--put-if-absent configuration :dap-server-path '("asldbg" "dap"))
     (dap--put-if-absent configuration :program (buffer-file-name))
     configuration))
  (dap-register-debug-template
   "Debug state machine"
   '(:type "asldbg" :request "launch" :name "Debug state machine" :stopOnEntry t :stopAtEnd t)))
